// Reads zip archives: stored and deflated entries, checked against their directory; anywhere.

import { crc32 } from "./crc32.ts";
import { broken, EntryList, type ArchiveLimits } from "./entry-list.ts";
import { inflate } from "./inflate.ts";
import type { FlatEntry } from "./tree.ts";

const LOCAL = 0x0403_4b50;
const CENTRAL = 0x0201_4b50;
const END = 0x0605_4b50;
const END_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;
/** Entries unpacked at once; each is a short wait for the decompressor. */
const AT_ONCE = 16;

/** One entry of the central directory. */
interface ZipEntry {
  readonly path: string;
  /** As it is stored. */
  readonly name: Uint8Array;
  readonly kind: "file" | "directory" | "link";
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly modified: number;
  readonly local: number;
}

/**
 * Reads a zip archive.
 *
 * @throws SandboxError `bad_archive` when it is damaged, encrypted, in zip64 form, or has a name that leads out of it;
 * `quota` when it unpacks to more than the limits, judged before anything is unpacked.
 */
export async function readZip(
  bytes: Uint8Array<ArrayBuffer>,
  limits: ArchiveLimits = {},
): Promise<FlatEntry[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const list = new EntryList(limits);
  const { entries, start } = readDirectory(bytes, view, list);
  const ranges = findData(view, entries, start);
  if (list.isStrict) for (const entry of entries) checkName(view, entry);
  for (const entry of entries) if (entry.kind !== "directory") list.reserve(entry.size);
  const contents: Uint8Array[] = [];
  for (let i = 0; i < entries.length; i += AT_ONCE) {
    const some = entries.slice(i, i + AT_ONCE).map((entry, j) => {
      const [from, to] = ranges[i + j]!;
      return unpack(entry, bytes.subarray(from, to));
    });
    contents.push(...(await Promise.all(some)));
  }
  for (const [i, entry] of entries.entries()) {
    const { path, kind, modified } = entry;
    if (kind === "directory") list.add({ path, type: "directory" });
    else if (kind === "link") list.add({ path, type: "link", target: linkTarget(contents[i]!) });
    else list.add({ path, type: "file", bytes: contents[i]!, modified });
  }
  return list.all;
}

function readDirectory(
  bytes: Uint8Array,
  view: DataView,
  list: EntryList,
): { entries: ZipEntry[]; start: number } {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (count === 0xffff || start === 0xffff_ffff) throw broken("zip64 archives are not read");
  if (start + view.getUint32(end + 12, true) > end) throw broken("the zip directory is cut off");
  const entries: ZipEntry[] = [];
  for (let at = start, i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL) {
      throw broken("the zip directory is damaged");
    }
    const name = view.getUint16(at + 28, true);
    const rest = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (at + 46 + name + rest > end) throw broken("the zip directory is cut off");
    entries.push(readEntry(bytes.subarray(at + 46, at + 46 + name), view, at, list));
    at += 46 + name + rest;
  }
  return { entries, start };
}

/** The record at the end, behind which only a comment may come. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - END_BYTES - 0xffff);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) !== END) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw broken("the zip directory is missing");
}

function readEntry(name: Uint8Array, view: DataView, at: number, list: EntryList): ZipEntry {
  const text = utf8(name);
  const method = view.getUint16(at + 10, true);
  if ((view.getUint16(at + 8, true) & 1) !== 0) throw broken(`${text} is encrypted`);
  if (method !== STORED && method !== DEFLATED) throw broken(`${text} is packed in an unknown way`);
  const unix = view.getUint16(at + 4, true) >> 8 === 3;
  const isLink = unix && ((view.getUint32(at + 38, true) >>> 16) & 0xf000) === 0xa000;
  return {
    path: list.cleanPath(text),
    name,
    kind: text.endsWith("/") ? "directory" : isLink ? "link" : "file",
    method,
    crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    modified: dosTime(view.getUint16(at + 12, true), view.getUint16(at + 14, true)),
    local: view.getUint32(at + 42, true),
  };
}

/** Where each entry's data lies. Entries that overlap are a way to hide a bomb. */
function findData(view: DataView, entries: readonly ZipEntry[], end: number): [number, number][] {
  const ranges = entries.map(({ path, local, packed }): [number, number] => {
    if (local + 30 > end || view.getUint32(local, true) !== LOCAL) {
      throw broken(`the data of ${path} is missing`);
    }
    const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (from + packed > end) throw broken(`the data of ${path} is cut off`);
    return [from, from + packed];
  });
  const order = entries.map((entry, i) => [entry.local, ranges[i]![1]] as const);
  order.sort((a, b) => a[0] - b[0]);
  for (let i = 1; i < order.length; i++) {
    if (order[i]![0] < order[i - 1]![1]) throw broken("entries of the archive overlap");
  }
  return ranges;
}

/** A name stands in front of the data, too, and programs that read as it comes take that one. */
function checkName(view: DataView, { path, local, name }: ZipEntry): void {
  const own = new Uint8Array(
    view.buffer,
    view.byteOffset + local + 30,
    view.getUint16(local + 26, true),
  );
  const isSame = own.length === name.length && own.every((byte, i) => byte === name[i]);
  if (!isSame) throw broken(`${path} has another name in front of its data`);
}

async function unpack(entry: ZipEntry, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (entry.kind === "directory") return data.subarray(0, 0);
  if (entry.method === STORED) {
    const sound = entry.size === data.length && (await crc32(data)) === entry.crc;
    if (!sound) throw broken(`${entry.path} is damaged`);
    return data;
  }
  // Raw deflate between a gzip head and tail: the platform then checks checksum and length.
  const head = new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  const tail = new Uint8Array(8);
  const view = new DataView(tail.buffer);
  view.setUint32(0, entry.crc, true);
  view.setUint32(4, entry.size, true);
  const bytes = await inflate([head, data, tail], entry.size);
  if (bytes.length !== entry.size) throw broken(`${entry.path} is damaged`);
  return bytes;
}

function linkTarget(bytes: Uint8Array): string {
  const target = utf8(bytes);
  if (target === "" || target.includes("\0")) throw broken("a link leads nowhere");
  return target;
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw broken("a name is not UTF-8", cause);
  }
}

/** Milliseconds since 1970; zip knows no time zone, so it is read as UTC. */
function dosTime(time: number, date: number): number {
  const [year, month, day] = [(date >> 9) + 1980, (date >> 5) & 15, date & 31];
  return Date.UTC(year, month - 1, day, time >> 11, (time >> 5) & 63, (time & 31) * 2);
}
