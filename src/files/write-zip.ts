// Writes zip archives: deflated where that helps, the same bytes for the same entries; anywhere.

import { SandboxError } from "../errors.ts";
import { crc32 } from "./crc32.ts";
import { feed } from "./feed.ts";
import type { FlatEntry } from "./tree.ts";

const LOCAL = 0x0403_4b50;
const CENTRAL = 0x0201_4b50;
const END = 0x0605_4b50;
/** Version 2.0, on Unix, so that modes and links are understood. */
const MADE_BY = 0x0314;
const UTF8_NAMES = 0x0800;
/** Counts and sizes of plain zip. */
const MOST_ENTRIES = 0xfffe;
const MOST_BYTES = 0xffff_fffe;
const GZIP_HEAD = 10;
const GZIP_TAIL = 8;
const FILE_MODE = 0o100644;
const FOLDER_MODE = 0o040755;
const LINK_MODE = 0o120777;

interface Packed {
  readonly name: Uint8Array;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly size: number;
  readonly mode: number;
  readonly modified: number;
}

/** How {@link writeZip} packs. */
export interface ZipOptions {
  /** Files that would shrink by more than this are stored as they are: readers take such archives for bombs. */
  readonly mostRatio?: number;
}

/**
 * Packs entries into a zip.
 *
 * @throws SandboxError `quota` when it would pass what a plain zip can hold: 65,534 entries, 4 GiB
 */
export async function writeZip(
  entries: readonly FlatEntry[],
  { mostRatio = Infinity }: ZipOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (entries.length > MOST_ENTRIES) throw tooLarge(`${entries.length} entries`);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const entry of entries) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other keeps memory at one file
    const packed = await pack(entry, mostRatio);
    const head = header(packed, undefined);
    directory.push(header(packed, at));
    parts.push(head, packed.data);
    at += head.length + packed.data.length;
    if (at > MOST_BYTES) throw tooLarge("more than 4 GiB");
  }
  return join([...parts, ...directory, endOf(entries.length, directory, at)]);
}

async function pack(entry: FlatEntry, mostRatio: number): Promise<Packed> {
  const encoder = new TextEncoder();
  if (entry.type === "directory") {
    const name = encoder.encode(`${entry.path}/`);
    return stored(name, new Uint8Array(0), FOLDER_MODE, 0);
  }
  const name = encoder.encode(entry.path);
  if (entry.type === "link") return stored(name, encoder.encode(entry.target), LINK_MODE, 0);
  const { modified = 0 } = entry;
  const bytes = new Uint8Array(entry.bytes); // shared memory goes into no stream
  const gzip = await compress(bytes);
  const data = gzip.subarray(GZIP_HEAD, gzip.length - GZIP_TAIL);
  const isBetter = data.length < bytes.length && data.length * mostRatio >= bytes.length;
  if (!isBetter) return stored(name, bytes, FILE_MODE, modified);
  const crc = new DataView(gzip.buffer).getUint32(gzip.length - GZIP_TAIL, true);
  return { name, data, method: 8, crc, size: bytes.length, mode: FILE_MODE, modified };
}

async function stored(
  name: Uint8Array,
  data: Uint8Array<ArrayBuffer>,
  mode: number,
  modified: number,
): Promise<Packed> {
  const crc = await crc32(data);
  return { name, data, method: 0, crc, size: data.length, mode, modified };
}

/** As gzip, which every platform has: between its head and its tail lies what zip wants. */
async function compress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new CompressionStream("gzip");
  const packed = new Response(stream.readable).arrayBuffer();
  await feed(stream.writable, [bytes]);
  return new Uint8Array(await packed);
}

/** The header in front of the data, or with `local` (the place of that one) the entry of the directory. */
function header(packed: Packed, local: number | undefined): Uint8Array<ArrayBuffer> {
  const central = local !== undefined;
  const size = central ? 46 : 30;
  const bytes = new Uint8Array(size + packed.name.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, central ? CENTRAL : LOCAL, true);
  if (central) view.setUint16(4, MADE_BY, true);
  const from = central ? 6 : 4;
  const [time, date] = dosTime(packed.modified);
  view.setUint16(from, 20, true);
  view.setUint16(from + 2, UTF8_NAMES, true);
  view.setUint16(from + 4, packed.method, true);
  view.setUint16(from + 6, time, true);
  view.setUint16(from + 8, date, true);
  view.setUint32(from + 10, packed.crc, true);
  view.setUint32(from + 14, packed.data.length, true);
  view.setUint32(from + 18, packed.size, true);
  view.setUint16(from + 22, packed.name.length, true);
  if (central) {
    view.setUint32(38, packed.mode * 0x1_0000, true);
    view.setUint32(42, local, true);
  }
  bytes.set(packed.name, size);
  return bytes;
}

function endOf(
  count: number,
  directory: readonly Uint8Array[],
  start: number,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(22);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, END, true);
  view.setUint16(8, count, true);
  view.setUint16(10, count, true);
  view.setUint32(
    12,
    directory.reduce((sum, { length }) => sum + length, 0),
    true,
  );
  view.setUint32(16, start, true);
  return bytes;
}

/** Time and date as zip has them, in UTC, from 1980 to 2107 and by two seconds. */
function dosTime(modified: number): [time: number, date: number] {
  const first = Date.UTC(1980, 0, 1);
  const last = Date.UTC(2107, 11, 31);
  const when = new Date(Math.min(last, Math.max(first, modified)));
  return [
    (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1),
    ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate(),
  ];
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function tooLarge(what: string): SandboxError {
  return new SandboxError("quota", `a zip cannot hold ${what}`);
}
