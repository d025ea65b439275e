// A registry's tools for the Vercel AI SDK, whose loop calls them by itself; page and Node.

import type { ToolEntry } from "../tools/contract-tool.ts";
import type { ToolResultEnvelope } from "../tools/envelope.ts";
import type { ToolLister } from "../tools/provider.ts";
import { AgentNames } from "./agent-names.ts";
import { type AgentOptions, callWhole, chosenTools, resultParts } from "./agent-parts.ts";

/** A schema that the SDK takes as it is: by its own mark, and by the shape that standard schemas have. */
export interface AiSdkSchema {
  readonly jsonSchema: Record<string, unknown>;
  readonly validate: (value: unknown) => { success: true; value: unknown };
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/** What a model is shown of a result. */
export type AiSdkOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "file"; mediaType: string; data: { type: "data"; data: string } }
      )[];
    };

/** A tool of the SDK. */
export interface AiSdkTool {
  readonly description: string;
  readonly title?: string;
  readonly inputSchema: AiSdkSchema;
  readonly execute: (
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<ToolResultEnvelope>;
  readonly toModelOutput: (options: { readonly output: unknown }) => AiSdkOutput;
}

/** The mark by which the SDK knows schemas that need no conversion. */
const SCHEMA_MARK = Symbol.for("vercel.ai.schema");
const NAME_CHARACTERS = 64;

/**
 * Tools for `generateText`, `streamText` and agents of the AI SDK (5 and later), by name. Arguments are checked by the
 * registry, so that a wrong one is a result that the model can read.
 *
 * @example
 * const { text } = await generateText({ model, prompt, tools: await aiSdkTools(registry), stopWhen: stepCountIs(8) });
 */
export async function aiSdkTools(
  registry: ToolLister,
  options: AgentOptions = {},
): Promise<Record<string, AiSdkTool>> {
  const entries = await chosenTools(registry, options);
  const names = new AgentNames(
    entries.map(({ name }) => name),
    NAME_CHARACTERS,
  );
  return Object.fromEntries(
    entries.map((entry): [string, AiSdkTool] => [
      names.shown(entry.name),
      {
        description: entry.description,
        ...(entry.title === undefined ? {} : { title: entry.title }),
        inputSchema: schemaOf(entry),
        execute: (input, { abortSignal } = {}) =>
          callWhole(registry, entry.name, input, {
            ...options.call,
            ...(abortSignal === undefined ? {} : { signal: abortSignal }),
          }),
        toModelOutput: ({ output }) => outputOf(output as ToolResultEnvelope),
      },
    ]),
  );
}

function schemaOf({ parameters }: ToolEntry): AiSdkSchema {
  const { $schema: _dialect, ...rest } = parameters;
  const jsonSchema = { ...rest, type: "object" };
  const schema: AiSdkSchema = {
    jsonSchema,
    validate: (value) => ({ success: true, value }),
    "~standard": {
      version: 1,
      vendor: "sallyport",
      validate: (value) => ({ value }),
      // The SDK may write into what it is given.
      jsonSchema: {
        input: () => structuredClone(jsonSchema),
        output: () => structuredClone(jsonSchema),
      },
    },
  };
  return Object.assign(schema, { [SCHEMA_MARK]: true, _type: undefined });
}

function outputOf(result: ToolResultEnvelope): AiSdkOutput {
  const { text, images, isError } = resultParts(result);
  if (isError) return { type: "error-text", value: text };
  if (images.length === 0) return { type: "text", value: text };
  const files = images.map(({ mimeType, data }) => ({
    type: "file" as const,
    mediaType: mimeType,
    data: { type: "data" as const, data },
  }));
  return {
    type: "content",
    value: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...files],
  };
}
