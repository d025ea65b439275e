// A registry's tools for OpenAI's APIs and all that speak the same, and results back; page and Node.

import type { ToolEntry } from "../tools/contract-tool.ts";
import type { ToolResultEnvelope } from "../tools/envelope.ts";
import type { CallOptions, ToolLister } from "../tools/provider.ts";
import { refusal } from "../tools/provider-failure.ts";
import { AgentNames } from "./agent-names.ts";
import {
  type AgentOptions,
  callWhole,
  chosenTools,
  parsedArguments,
  resultParts,
} from "./agent-parts.ts";
import { strictSchema } from "./strict-schema.ts";

/** Options of {@link openAITools} and {@link openAIResponsesTools}. */
export interface OpenAIOptions extends AgentOptions {
  /** Hold models to the schemas where these allow it. Default true; some servers do not know it. */
  readonly strict?: boolean;
}

/** A tool for chat completions. */
export interface OpenAIChatTool {
  type: "function";
  function: {
    name: string;
    description: string;
    parameters: Record<string, unknown>;
    strict: boolean;
  };
}

/** A tool for the Responses API. */
export interface OpenAIResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** A call of a chat completion's message. */
export interface OpenAIChatCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** A call among the output items of a response. */
export interface OpenAIResponsesCall {
  readonly type: string;
  readonly call_id?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** Text in calls of functions; items of other kinds have other things there. */
  readonly arguments?: unknown;
}

/** What goes back into a chat: the answers, then the images, which tools' messages cannot hold. */
export type OpenAIChatMessage =
  | { role: "tool"; tool_call_id: string; content: string }
  | {
      role: "user";
      content: (
        | { type: "text"; text: string }
        | { type: "image_url"; image_url: { url: string } }
      )[];
    };

/** What goes back into a response. */
export interface OpenAIResponsesOutput {
  type: "function_call_output";
  call_id: string;
  output:
    | string
    | (
        | { type: "input_text"; text: string }
        | { type: "input_image"; image_url: string; detail: "auto" }
      )[];
}

/** Tools for chat completions, and what to do with a message that calls them. */
export interface OpenAIChatTools {
  readonly tools: OpenAIChatTool[];
  /** Calls all that a message asks for, side by side, and gives the messages that follow it. Never rejects. */
  readonly answer: (
    calls: readonly OpenAIChatCall[] | undefined,
    options?: CallOptions,
  ) => Promise<OpenAIChatMessage[]>;
}

/** The same for the Responses API. */
export interface OpenAIResponsesTools {
  readonly tools: OpenAIResponsesTool[];
  /** Takes the output items of a response; those that are no calls are passed over. Never rejects. */
  readonly answer: (
    items: readonly OpenAIResponsesCall[],
    options?: CallOptions,
  ) => Promise<OpenAIResponsesOutput[]>;
}

/** Longest name that the API takes. */
const NAME_CHARACTERS = 64;

/**
 * Tools for chat completions. Where a schema allows it a tool is `strict`: its objects are closed and every key is
 * required, null standing for what may be left out; nulls are taken out again before the tool is called.
 *
 * @example
 * const { tools, answer } = await openAITools(registry);
 * for (;;) {
 *   const { message } = (await openai.chat.completions.create({ model, messages, tools })).choices[0];
 *   messages.push(message);
 *   if (!message.tool_calls?.length) break;
 *   messages.push(...(await answer(message.tool_calls)));
 * }
 */
export async function openAITools(
  registry: ToolLister,
  options: OpenAIOptions = {},
): Promise<OpenAIChatTools> {
  const set = await toolSet(registry, options);
  return {
    tools: set.tools.map((tool) => ({ type: "function", function: tool })),
    answer: async (calls = [], more = {}) => {
      const wanted = calls.flatMap((one) =>
        one.function === undefined ? [] : [{ id: one.id, ...one.function }],
      );
      const answered = await Promise.all(
        wanted.map(async (one) => ({ ...one, ...resultParts(await set.call(one, more)) })),
      );
      const messages = answered.map(({ id, text }): OpenAIChatMessage => ({
        role: "tool",
        tool_call_id: id,
        content: text,
      }));
      const pictured = answered.filter(({ images }) => images.length > 0);
      const content = pictured.flatMap(({ name, images }) => [
        { type: "text" as const, text: `Images from ${name}:` },
        ...images.map((image) => ({
          type: "image_url" as const,
          image_url: { url: dataUrl(image) },
        })),
      ]);
      return content.length === 0 ? messages : [...messages, { role: "user", content }];
    },
  };
}

/**
 * Tools for the Responses API.
 *
 * @example
 * const { tools, answer } = await openAIResponsesTools(registry);
 * const response = await openai.responses.create({ model, input, tools });
 * input.push(...response.output, ...(await answer(response.output)));
 */
export async function openAIResponsesTools(
  registry: ToolLister,
  options: OpenAIOptions = {},
): Promise<OpenAIResponsesTools> {
  const set = await toolSet(registry, options);
  return {
    tools: set.tools.map((tool) => ({ type: "function", ...tool })),
    answer: async (items, more = {}) => {
      const wanted = items.filter(({ type }) => type === "function_call");
      return Promise.all(
        wanted.map(async (item): Promise<OpenAIResponsesOutput> => {
          const call_id = item.call_id ?? "";
          const args = typeof item.arguments === "string" ? item.arguments : "";
          const call = { name: item.name ?? "", arguments: args };
          const { text, images } = resultParts(await set.call(call, more));
          if (images.length === 0) return { type: "function_call_output", call_id, output: text };
          const shown = images.map((image) => ({
            type: "input_image" as const,
            image_url: dataUrl(image),
            detail: "auto" as const,
          }));
          const said = text === "" ? [] : [{ type: "input_text" as const, text }];
          return { type: "function_call_output", call_id, output: [...said, ...shown] };
        }),
      );
    },
  };
}

interface ToolSet {
  readonly tools: OpenAIChatTool["function"][];
  call(
    call: { readonly name: string; readonly arguments: string },
    options: CallOptions,
  ): Promise<ToolResultEnvelope>;
}

async function toolSet(registry: ToolLister, options: OpenAIOptions): Promise<ToolSet> {
  const { strict = true, call = {} } = options;
  const entries = await chosenTools(registry, options);
  const names = new AgentNames(
    entries.map(({ name }) => name),
    NAME_CHARACTERS,
  );
  const written = new Map(
    entries.map((entry) => [entry.name, strict ? strictSchema(entry.parameters) : undefined]),
  );
  return {
    tools: entries.map((entry) => {
      const form = written.get(entry.name);
      const parameters = form?.schema ?? plainParameters(entry);
      return {
        name: names.shown(entry.name),
        description: entry.description,
        parameters,
        strict: form !== undefined,
      };
    }),
    call: async ({ name: shown, arguments: text }, more) => {
      const name = names.own(shown);
      const parsed = parsedArguments(text);
      if ("problem" in parsed) return refusal("invalid_arguments", parsed.problem, name);
      // A tool that was not offered is not called, whatever the registry has.
      if (!written.has(name)) return refusal("unknown_tool", `there is no tool ${shown}`, shown);
      return callWhole(registry, name, written.get(name)?.restore(parsed.args) ?? parsed.args, {
        ...call,
        ...more,
      });
    },
  };
}

/** A schema as APIs take it that know no dialects. */
function plainParameters({ parameters }: ToolEntry): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = parameters;
  const properties = rest["properties"] ?? {};
  return { ...rest, type: "object", properties };
}

function dataUrl({ mimeType, data }: { readonly mimeType: string; readonly data: string }): string {
  return `data:${mimeType};base64,${data}`;
}
