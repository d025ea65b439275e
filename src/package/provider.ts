// A package's tools and results as the contract of listing and calling has them; anywhere.

import type { ToolEntry } from "../tools/contract-tool.ts";
import {
  envelope,
  errorEnvelope,
  type ContentBlock,
  type ToolResultEnvelope,
} from "../tools/envelope.ts";
import { failedEnvelope } from "../tools/provider-failure.ts";
import { encodeBase64 } from "./base64.ts";
import type { PackageResult } from "./call-result.ts";
import type { JsonObject } from "./message.ts";
import { modelContent, type ModelPart } from "./model-content.ts";
import { PackageCrash } from "./package-crash.ts";
import type { PackageTool } from "./tool-listing.ts";

/**
 * Entries for `listTools`. What a tool answers is described to people, by `pkg.tools`, and not here: models read these.
 */
export function toolEntries(tools: readonly PackageTool[]): readonly ToolEntry[] {
  return tools.map(({ name, description, inputSchema, title, annotations, icons, _meta }) => ({
    name,
    description,
    parameters: inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : hints(annotations)),
    ...(icons === undefined ? {} : { icons }),
    ...(_meta === undefined ? {} : { meta: _meta }),
  }));
}

/** The contract's own words for MCP's hints, beside the hints; `idempotent` only when it is true. */
function hints(annotations: JsonObject): Partial<ToolEntry> {
  const { readOnlyHint, destructiveHint, openWorldHint, idempotentHint } = annotations;
  return {
    ...(typeof readOnlyHint === "boolean" ? { read_only: readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
    ...(typeof openWorldHint === "boolean" ? { open_world: openWorldHint } : {}),
    ...(idempotentHint === true ? { idempotent: true } : {}),
    annotations,
  };
}

/** What a model is told of a result: the structured value or the text, with images as blocks beside it. */
export function resultEnvelope(result: PackageResult): ToolResultEnvelope {
  const { structuredContent, isError, _meta } = result;
  const parts = modelContent(result);
  const onlyText = parts.every((part) => part.type === "text");
  const blocks = parts.map(blockOf);
  const hasStructure = structuredContent !== undefined && structuredContent !== null;
  const text = (): unknown =>
    onlyText
      ? parts.map((part) => ("text" in part ? part.text : "")).join("")
      : textOrBlocks(blocks);
  return envelope.inline(hasStructure ? structuredContent : text(), {
    is_error: isError === true,
    ...(onlyText ? {} : { content: blocks }),
    ...(hasStructure ? { structured_content: structuredContent } : {}),
    ...(_meta === undefined ? {} : { meta: _meta }),
  });
}

/** The text where there is some, else the single block, or the list. */
function textOrBlocks(blocks: readonly ContentBlock[]): unknown {
  const texts = blocks.filter(({ type }) => type === "text");
  if (texts.length > 0) return texts.map(({ text }) => text).join("");
  return blocks.length === 1 ? blocks[0] : blocks;
}

function blockOf(part: ModelPart): ContentBlock {
  if (part.type === "text") return part;
  return { type: "image", mimeType: part.mimeType, data: encodeBase64(part.bytes) };
}

/** What a model is told of a call that gave no result; of a crash also the last it wrote on stderr. */
export function failureEnvelope(thrown: unknown, tool: string): ToolResultEnvelope {
  if (!(thrown instanceof PackageCrash)) return failedEnvelope(thrown, tool);
  const { name: type, message, stderr } = thrown;
  const tail = stderr === "" ? "" : `\n\nThe last of its stderr:\n${stderr}`;
  return errorEnvelope({ type, message: `${message}${tail}` }, tool);
}
