// Which kind of image some bytes are, and how many pixels they unpack to, by how they begin; anywhere.

/** The images that results may hold. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** What the first bytes of an image say. */
export interface ImageFacts {
  readonly mimeType: ImageType;
  readonly width: number;
  readonly height: number;
}

/** The kind and size of an image; undefined for anything else, SVG included, and for one without a size. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const mimeType = imageType(bytes);
  if (mimeType === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = SIZES[mimeType](view);
  if (size === undefined || size[0] === 0 || size[1] === 0) return undefined;
  return { mimeType, width: size[0], height: size[1] };
}

function imageType(bytes: Uint8Array): ImageType | undefined {
  if (starts(bytes, 0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts(bytes, 0, "\xff\xd8\xff")) return "image/jpeg";
  if (starts(bytes, 0, "GIF87a") || starts(bytes, 0, "GIF89a")) return "image/gif";
  if (starts(bytes, 0, "RIFF") && starts(bytes, 8, "WEBP")) return "image/webp";
  return undefined;
}

function starts(bytes: Uint8Array, at: number, text: string): boolean {
  if (bytes.length < at + text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

type Size = readonly [width: number, height: number];

const SIZES: Readonly<Record<ImageType, (view: DataView) => Size | undefined>> = {
  "image/png": (view) =>
    view.byteLength < 24 ? undefined : [view.getUint32(16), view.getUint32(20)],
  "image/gif": (view) =>
    view.byteLength < 10 ? undefined : [view.getUint16(6, true), view.getUint16(8, true)],
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** Segments and fill bytes before a frame; one that has more was made to keep us busy. */
const JPEG_STEPS = 4_096;

/** Walks the segments up to the frame header. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2, steps = 0; at + 9 <= view.byteLength && steps < JPEG_STEPS; steps++) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++; // fill bytes
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    const alone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += alone ? 2 : 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}

function webpSize(view: DataView): Size | undefined {
  if (view.byteLength < 30) return undefined;
  switch (view.getUint32(12)) {
    case 0x5650_3858: // VP8X
      return [uint24(view, 24) + 1, uint24(view, 27) + 1];
    case 0x5650_384c: {
      const bits = view.getUint32(21, true); // VP8L
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case 0x5650_3820: // VP8
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
