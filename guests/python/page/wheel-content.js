// What a wheel holds: its files, what it says about itself, what can be imported from it; page and Node.
// @ts-check

import { image } from "sallyport";
import { WheelError } from "./wheel-error.js";

const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** Paths of all files, and their bytes. @param {Uint8Array<ArrayBuffer>} bytes @param {string} fileName */
export async function unpack(bytes, fileName) {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) {
    const text = new TextDecoder().decode(bytes.subarray(0, 60)).trimStart();
    const page = text.startsWith("<") ? ", but a page" : "";
    throw new WheelError("not_a_wheel", fileName, `is no zip archive${page}.`);
  }
  try {
    const { entries, buffer } = (await image(bytes)).data;
    /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
    const files = new Map();
    for (const entry of entries) {
      if (entry[0] !== "file") continue;
      // A copy: text cannot be decoded from shared memory.
      files.set(entry[1], new Uint8Array(new Uint8Array(buffer, entry[2], entry[3])));
    }
    return files;
  } catch (error) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    if (code === "quota") throw new WheelError("too_large", fileName, "is too large.", error);
    throw new WheelError("damaged", fileName, `is damaged: ${message}.`, error);
  }
}

/** Headers of METADATA by name in lower case. @param {Map<string, Uint8Array>} paths @param {string} fileName */
export function readMetadata(paths, fileName) {
  const [path] = [...paths.keys()].filter((one) => /^[^/]+\.dist-info\/METADATA$/.test(one));
  if (path === undefined || !paths.has(path.replace(/METADATA$/, "WHEEL"))) {
    const words = "is not a wheel: it holds no .dist-info with METADATA and WHEEL.";
    throw new WheelError("not_a_wheel", fileName, words);
  }
  const [head = ""] = new TextDecoder().decode(paths.get(path)).split(/\r?\n\r?\n/);
  /** @type {Map<string, string[]>} */
  const headers = new Map();
  for (const line of head.split(/\r?\n/)) {
    const [, key, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    headers.set(key.toLowerCase(), [...(headers.get(key.toLowerCase()) ?? []), value]);
  }
  return headers;
}

/** What an import statement can name; a namespace that several wheels share is none. @param {readonly string[]} paths */
export function modulesOf(paths) {
  const tops = paths.flatMap((path) => {
    const [top = "", inner] = path.split("/");
    if (inner === undefined) return /\.pyc?$/.test(top) ? [top.replace(/\.pyc?$/, "")] : [];
    return /^[^/]+\/__init__\.pyc?$/.test(path) ? [top] : [];
  });
  return [...new Set(tops)].filter((name) => IDENTIFIER.test(name)).toSorted();
}

/** Names that are always needed; what hangs on a marker is left out. @param {readonly string[]} lines */
export function requirements(lines) {
  return lines
    .filter((line) => !line.includes(";"))
    .flatMap((line) => /^[A-Za-z0-9][\w.-]*/.exec(line) ?? [])
    .map(plainName);
}

/** As indexes compare names. @param {string} name */
export function plainName(name) {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}
