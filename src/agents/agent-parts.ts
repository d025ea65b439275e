// What every format of agents shares: options, the list, the text and images of a result; page and Node.

import { SandboxError } from "../errors.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import { type ContentBlock, envelopeText, type ToolResultEnvelope } from "../tools/envelope.ts";
import { wholeEnvelope } from "../tools/envelope-whole.ts";
import type { CallOptions, ToolLister } from "../tools/provider.ts";

/** Options of every format. */
export interface AgentOptions {
  /** Which tools the model gets; all by default. */
  readonly only?: (entry: ToolEntry) => boolean;
  /** Goes with each call. */
  readonly call?: CallOptions;
}

/** An image of a result. */
export interface ResultImage {
  readonly mimeType: string;
  /** base64. */
  readonly data: string;
}

/** A result as models take it. */
export interface ResultParts {
  readonly text: string;
  readonly images: readonly ResultImage[];
  readonly isError: boolean;
}

/** The tools to offer. @throws SandboxError `bad_option` for something that lists nothing; errors of the listing */
export async function chosenTools(
  registry: ToolLister,
  { only = () => true, call = {} }: AgentOptions,
): Promise<readonly ToolEntry[]> {
  if (typeof registry?.listTools !== "function" || typeof registry.callTool !== "function") {
    throw new SandboxError("bad_option", "formats of agents are made of a registry");
  }
  return (await registry.listTools(call)).filter(only);
}

/** Calls a tool for a model, which takes only whole results. */
export async function callWhole(
  registry: ToolLister,
  name: string,
  args: unknown,
  options: CallOptions,
): Promise<ToolResultEnvelope> {
  return wholeEnvelope(await registry.callTool(name, args, options), name, options.signal);
}

/** One text, and the images beside it. */
export function resultParts(result: ToolResultEnvelope): ResultParts {
  const blocks = result.content ?? [];
  const images = blocks.flatMap(imageOf);
  const others = blocks.flatMap(noteOf);
  const texts = blocks.flatMap((block) =>
    block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  const structured = result.structured_content !== undefined || blocks.length === 0;
  const text = structured ? [envelopeText(result)] : texts;
  const all = [...text, ...others].filter((one) => one !== "");
  return {
    text: all.join("\n") || (images.length > 0 ? "" : envelopeText(result)),
    images,
    isError: result.is_error,
  };
}

function imageOf({ type, data, mimeType }: ContentBlock): ResultImage[] {
  const whole = type === "image" && typeof data === "string" && typeof mimeType === "string";
  return whole ? [{ data, mimeType }] : [];
}

/** A model is told of what it cannot be shown. */
function noteOf(block: ContentBlock): string[] {
  const { type, uri, resource } = block;
  if (type === "text" || type === "image") return [];
  if (type === "resource_link" && typeof uri === "string") return [`[link: ${uri}]`];
  const { text } = (resource ?? {}) as { text?: unknown };
  return typeof text === "string" ? [text] : [`[${type} content was left out]`];
}

/** The arguments that a model wrote, or what is wrong with its text. */
export function parsedArguments(
  text: unknown,
): { readonly args: unknown } | { readonly problem: string } {
  if (typeof text !== "string") return { args: text ?? {} };
  if (text.trim() === "") return { args: {} };
  try {
    return { args: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `the arguments are no JSON: ${(error as Error).message}` };
  }
}
