// A registry's tools for Anthropic's Messages API, and results back; page and Node.

import type { CallOptions, ToolLister } from "../tools/provider.ts";
import { refusal } from "../tools/provider-failure.ts";
import { AgentNames } from "./agent-names.ts";
import { type AgentOptions, callWhole, chosenTools, resultParts } from "./agent-parts.ts";

/** A tool of the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [key: string]: unknown };
}

/** A block of a message's content; those of type `tool_use` are calls. */
export interface AnthropicBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

/** The types of images that the API takes. */
export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** An answer to one call. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: (
    | { type: "text"; text: string }
    | { type: "image"; source: { type: "base64"; media_type: AnthropicImageType; data: string } }
  )[];
  is_error?: boolean;
}

/** Tools for the Messages API, and what to do with a message that calls them. */
export interface AnthropicTools {
  readonly tools: AnthropicTool[];
  /** Takes a message's content, calls what it asks for, side by side, and gives the next user message's content. Never rejects. */
  readonly answer: (
    content: readonly AnthropicBlock[],
    options?: CallOptions,
  ) => Promise<AnthropicToolResult[]>;
}

/** Longest name that the API takes. */
const NAME_CHARACTERS = 64;
const IMAGES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/**
 * Tools for the Messages API.
 *
 * @example
 * const { tools, answer } = await anthropicTools(registry);
 * const message = await anthropic.messages.create({ model, max_tokens, messages, tools });
 * messages.push({ role: "assistant", content: message.content });
 * if (message.stop_reason === "tool_use") messages.push({ role: "user", content: await answer(message.content) });
 */
export async function anthropicTools(
  registry: ToolLister,
  options: AgentOptions = {},
): Promise<AnthropicTools> {
  const entries = await chosenTools(registry, options);
  const offered = new Set(entries.map(({ name }) => name));
  const names = new AgentNames([...offered], NAME_CHARACTERS);
  const call = async (block: AnthropicBlock, more: CallOptions): Promise<AnthropicToolResult> => {
    const { id = "", name: shown = "", input = {} } = block;
    const name = names.own(shown);
    const result = offered.has(name)
      ? await callWhole(registry, name, input, { ...options.call, ...more })
      : refusal("unknown_tool", `there is no tool ${shown}`, shown);
    const { text, images, isError } = resultParts(result);
    const shownImages = images.filter(({ mimeType }) => IMAGES.includes(mimeType));
    const left = images.length - shownImages.length;
    const said = [text, left > 0 ? `[${left} images of other types were left out]` : ""].filter(
      (one) => one !== "",
    );
    return {
      type: "tool_result",
      tool_use_id: id,
      content: [
        ...said.map((one) => ({ type: "text" as const, text: one })),
        ...shownImages.map(({ mimeType, data }) => ({
          type: "image" as const,
          source: { type: "base64" as const, media_type: mimeType as AnthropicImageType, data },
        })),
      ],
      ...(isError ? { is_error: true } : {}),
    };
  };
  return {
    tools: entries.map(({ name, description, parameters }) => {
      const { $schema: _dialect, ...schema } = parameters;
      return { name: names.shown(name), description, input_schema: { ...schema, type: "object" } };
    }),
    answer: (content, more = {}) =>
      Promise.all(
        content.filter(({ type }) => type === "tool_use").map((block) => call(block, more)),
      ),
  };
}
