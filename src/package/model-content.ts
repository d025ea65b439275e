// What a model reads of a result: text and images, and a note for everything else; anywhere.

import { decodeBase64 } from "./base64.ts";
import {
  checkImage,
  type CallToolResult,
  type ContentBlock,
  type PackageResult,
} from "./call-result.ts";
import { PACKAGE_IMAGE_PIXELS } from "../limits.ts";
import { imageFacts, type ImageType } from "./image-kind.ts";
import { isVolumeUri } from "./volume-uri.ts";

/** A part of what a model is shown. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly mimeType: ImageType;
      readonly bytes: Uint8Array;
      /** Of an image that was linked. */
      readonly name?: string;
    };

/** Characters of a name or an address that a note repeats. */
const ECHO_CHARACTERS = 500;

/**
 * What a model reads of a result, one part for each block of its content.
 *
 * - `text`: the text.
 * - `image`: the image, if it is strict base64 of a PNG, JPEG, GIF or WebP and its bytes are of the type it says.
 * - `resource_link` to `volume:///…`: the image of the volume, as it was when the module had exited.
 * - any other `resource_link`: a line that names the link.
 * - anything else: a note that it was left out. So are images, once they have 67 million pixels together.
 *
 * Linked images come with the result of `pkg.call`; of a copy of it (through JSON, say) they are shown as links.
 *
 * @example
 * for (const part of modelContent(await chart.call("draw", { values: [1, 2] }))) {
 *   if (part.type === "text") prompt.push(part.text);
 * }
 */
export function modelContent(result: CallToolResult | PackageResult): ModelPart[] {
  const images = "images" in result && result.images instanceof Map ? result.images : undefined;
  let pixelsLeft = PACKAGE_IMAGE_PIXELS;
  return result.content.map((block) => {
    const part = partOf(block, images as PackageResult["images"] | undefined);
    if (part.type === "text") return part;
    // Each was small enough by itself; a few kilobytes may be an image of gigabytes all the same.
    const { width, height } = imageFacts(part.bytes)!;
    if (width * height > pixelsLeft) {
      return note("an image was left out: with those before it it has too many pixels");
    }
    pixelsLeft -= width * height;
    return part;
  });
}

function partOf(block: ContentBlock, images: PackageResult["images"] | undefined): ModelPart {
  if (block.type === "text") return textPart(block);
  if (block.type === "image") return imagePart(block);
  if (block.type === "resource_link") return linkPart(block, images);
  return note(`${plain(block.type)} content was left out`);
}

function textPart({ text }: ContentBlock): ModelPart {
  return typeof text === "string" ? { type: "text", text } : note("text without text was left out");
}

function imagePart({ data, mimeType }: ContentBlock): ModelPart {
  const bytes = typeof data === "string" ? decodeBase64(data) : undefined;
  if (bytes === undefined) return note("an image was left out: its data is not base64");
  const image = checkImage(bytes);
  if ("problem" in image) return note(`an image was left out: ${image.problem}`);
  const { mimeType: type } = image;
  if (type !== mimeType) {
    return note(`an image was left out: it is ${type} and says ${plain(String(mimeType))}`);
  }
  return { type: "image", mimeType: type, bytes };
}

function linkPart(
  { uri, name }: ContentBlock,
  images: PackageResult["images"] | undefined,
): ModelPart {
  if (typeof uri !== "string") return note("a link without an address was left out");
  const label = typeof name === "string" && name !== "" ? name : undefined;
  const image = images?.get(uri);
  if (image && "bytes" in image) {
    const { mimeType, bytes } = image;
    return { type: "image", mimeType, bytes, ...(label === undefined ? {} : { name: label }) };
  }
  // A model that is told of a file can only ask for it by its address.
  const line = label === undefined ? plain(uri) : `${plain(label)}: ${plain(uri)}`;
  if (image) return note(`${line} was left out: ${image.problem}`);
  if (isVolumeUri(uri) && images)
    return note(`${line} was left out: it names no file of the volume`);
  return { type: "text", text: line };
}

function note(text: string): ModelPart {
  return { type: "text", text: `[${text}]` };
}

/** One line, whatever the package wrote. */
function plain(text: string): string {
  const cut = text.length > ECHO_CHARACTERS ? `${text.slice(0, ECHO_CHARACTERS)}…` : text;
  return cut.replace(/[\0-\x1f\x7f\u2028\u2029]+/g, " ");
}
