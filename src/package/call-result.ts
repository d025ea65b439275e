// CallToolResult as ABI 1 has it: what a package answers to tools/call, and the images that it links; page and Node.

import { PACKAGE_IMAGE_BYTES, PACKAGE_IMAGE_PIXELS, PACKAGE_IMAGES_BYTES } from "../limits.ts";
import { imageFacts, type ImageType } from "./image-kind.ts";
import { isObject, type JsonObject } from "./message.ts";
import { volumePath } from "./volume-uri.ts";

/** A block of a result's content, as the package gave it. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** MCP's CallToolResult. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  /** Any JSON value. */
  readonly structuredContent?: unknown;
  /** The function failed, and `content` says why. */
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** An image that a result links, read after the module exited. */
export type LinkedImage =
  | { readonly mimeType: ImageType; readonly bytes: Uint8Array }
  /** Why there is none; goes on from the link's name. */
  | { readonly problem: string };

/** What `pkg.call` gives. */
export interface PackageResult extends CallToolResult {
  /** Images of the volume that `resource_link` blocks name, by their `uri`. Not enumerable, so JSON leaves it out. */
  readonly images: ReadonlyMap<string, LinkedImage>;
}

/** Takes the result apart; a text says what is wrong with one that is no CallToolResult. */
export function readResult(result: JsonObject): CallToolResult | string {
  const { resultType: _, ...rest } = result;
  const { content, isError } = rest;
  if (!Array.isArray(content)) return "its result has no array of content";
  if (!content.every((block) => isObject(block) && typeof block["type"] === "string")) {
    return "its content has a block without a type";
  }
  if (isError !== undefined && typeof isError !== "boolean") {
    return "its isError is neither true nor false";
  }
  return rest as unknown as CallToolResult;
}

/**
 * Adds the images that the result links. `readFile` gives the bytes of a file beneath /volume by the names along its
 * path. Those of images are copied: a volume's own may lie in shared memory, which few functions of a page take.
 */
export function withImages(
  result: CallToolResult,
  readFile: (names: readonly string[]) => Uint8Array | undefined,
): PackageResult {
  const images = new Map<string, LinkedImage>();
  let left = PACKAGE_IMAGES_BYTES;
  for (const { type, uri } of result.content) {
    if (type !== "resource_link" || typeof uri !== "string" || images.has(uri)) continue;
    const names = volumePath(uri);
    if (names === undefined) continue;
    const image = readImage(readFile(names), left);
    if ("bytes" in image) left -= image.bytes.length;
    images.set(uri, image);
  }
  return Object.defineProperty({ ...result }, "images", { value: images }) as PackageResult;
}

function readImage(bytes: Uint8Array | undefined, left: number): LinkedImage {
  if (bytes === undefined) return { problem: "there is no such file" };
  // A result may hold thousands of links: nothing is done to a file before its size is known.
  if (bytes.length > Math.min(left, PACKAGE_IMAGE_BYTES)) return { problem: "it is too large" };
  const image = checkImage(bytes);
  return "problem" in image ? image : { mimeType: image.mimeType, bytes: new Uint8Array(bytes) };
}

/** The kind of an image that may be shown, or why it may not. */
export function checkImage(
  bytes: Uint8Array,
): { readonly mimeType: ImageType } | { readonly problem: string } {
  const facts = imageFacts(bytes);
  if (facts === undefined) return { problem: "it is no PNG, JPEG, GIF or WebP image" };
  const tooMany = facts.width * facts.height > PACKAGE_IMAGE_PIXELS;
  return tooMany ? { problem: "it has too many pixels" } : facts;
}
