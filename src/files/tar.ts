// Reads tar archives: ustar, pax and GNU long names; anywhere.

import { broken, EntryList, type ArchiveLimits } from "./entry-list.ts";
import type { FlatEntry } from "./tree.ts";

const BLOCK = 512;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What a header says, with what came before it. */
interface Header {
  readonly name: string;
  readonly link: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly type: string;
}

/** Names and numbers that replace those of the next header. */
type Overrides = Map<string, string>;

/**
 * Reads a tar archive. File contents are views of `bytes`.
 *
 * @throws SandboxError `bad_archive` when it is damaged, holds what is no file, folder or link, or has a name that leads
 * out of it; `quota` when it holds more than the limits.
 */
export function readTar(bytes: Uint8Array<ArrayBuffer>, limits: ArchiveLimits = {}): FlatEntry[] {
  const list = new EntryList(limits);
  const global: Overrides = new Map();
  let next: Overrides = new Map();
  for (let at = 0; ;) {
    if (at + BLOCK > bytes.length) throw broken("the tar archive is cut off");
    const block = bytes.subarray(at, at + BLOCK);
    if (block.every(isZero)) {
      // GNU tar reads on behind a single block of zeros, others stop there.
      if (list.isStrict && !bytes.subarray(at).every(isZero)) {
        throw broken("there is something behind the end of the tar archive");
      }
      return list.all;
    }
    const header = readHeader(block, new Map([...global, ...next]));
    at += BLOCK;
    const data = bytes.subarray(at, at + header.size);
    if (data.length < header.size) throw broken("the tar archive is cut off");
    at += Math.ceil(header.size / BLOCK) * BLOCK;
    if (header.type === "x") next = readPax(data);
    else if (header.type === "g") for (const [key, value] of readPax(data)) global.set(key, value);
    else if (header.type === "L") next.set("path", textOf(data));
    else if (header.type === "K") next.set("linkpath", textOf(data));
    else {
      addEntry(list, header, data);
      next = new Map();
    }
  }
}

function addEntry(list: EntryList, header: Header, bytes: Uint8Array): void {
  const path = list.cleanPath(header.name);
  switch (header.type) {
    case "0":
    case "\0":
    case "7":
      if (path === "" || header.name.endsWith("/")) list.add({ path, type: "directory" });
      else {
        list.reserve(bytes.length);
        list.add({ path, type: "file", bytes, modified: header.modified });
      }
      return;
    case "5":
      list.add({ path, type: "directory" });
      return;
    case "2":
      if (header.link === "") throw broken(`the link ${path} leads nowhere`);
      list.add({ path, type: "link", target: header.link });
      return;
    case "1": {
      const file = list.file(list.cleanPath(header.link));
      if (file?.type !== "file") throw broken(`the link ${path} leads to no file of the archive`);
      list.reserve(file.bytes.length);
      list.add({ ...file, path });
      return;
    }
    default:
      throw broken(`${path} is neither file, folder nor link`);
  }
}

function readHeader(block: Uint8Array, overrides: Overrides): Header {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : block[i]!;
  if (number(block.subarray(148, 156)) !== sum) throw broken("a tar header is damaged");
  const type = String.fromCharCode(block[156]!);
  const ownSize = number(block.subarray(124, 136));
  // Headers that speak of the next one are not meant by what was said of the next one.
  if ("xgLK".includes(type)) return { name: "", link: "", size: ownSize, modified: 0, type };
  const prefix = isUstar(block) ? textOf(block.subarray(345, 500)) : "";
  const own = textOf(block.subarray(0, 100));
  const size = overrides.get("size");
  const time = overrides.get("mtime");
  const seconds = time === undefined ? number(block.subarray(136, 148)) : Number(time);
  return {
    name: overrides.get("path") ?? (prefix === "" ? own : `${prefix}/${own}`),
    link: overrides.get("linkpath") ?? textOf(block.subarray(157, 257)),
    size: checkSize(size === undefined ? ownSize : decimal(size), type),
    modified: Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0,
    type,
  };
}

/** Links and folders have no data, whatever their header says. */
function checkSize(size: number, type: string): number {
  if (!Number.isSafeInteger(size) || size < 0)
    throw broken("a tar header has a size without sense");
  return type === "1" || type === "2" || type === "5" ? 0 : size;
}

function isUstar(block: Uint8Array): boolean {
  // GNU tar writes "ustar " and puts times where the prefix would be.
  return textOf(block.subarray(257, 263)) === "ustar";
}

/** An octal number, or GNU's big-endian form. */
function number(field: Uint8Array): number {
  if ((field[0]! & 0x80) !== 0) {
    let value = field[0]! & 0x7f;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return value;
  }
  const text = textOf(field).trim();
  return text === "" ? 0 : /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

/** Digits and nothing else: other programs would read "1e3" or "0x10" as another number. */
function decimal(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** Records such as "19 path=some/file\n"; the length counts itself. */
function readPax(data: Uint8Array): Overrides {
  const records: Overrides = new Map();
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(32, at);
    const length = space < 0 ? Number.NaN : decimal(textOf(data.subarray(at, space)));
    if (!(length > space - at && at + length <= data.length))
      throw broken("a pax header is damaged");
    const record = textOf(data.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    if (equals < 1) throw broken("a pax header is damaged");
    const value = record.slice(equals + 1);
    // A record without a value takes back one of its name that was given before.
    if (value === "") records.delete(record.slice(0, equals));
    else records.set(record.slice(0, equals), value);
    at += length;
  }
  return records;
}

function isZero(byte: number): boolean {
  return byte === 0;
}

/** Text up to the first NUL. */
function textOf(field: Uint8Array): string {
  const end = field.indexOf(0);
  try {
    return decoder.decode(end < 0 ? field : field.subarray(0, end));
  } catch (cause) {
    throw broken("a name is not UTF-8", cause);
  }
}
