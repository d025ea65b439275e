// A snapshot as bytes, to be stored or shipped: a head of JSON, places in memory, their bytes; plain or packed; page and Node.

import { SandboxError } from "../errors.ts";
import { SNAPSHOT_HEAD_BYTES, WASM_PAGE_BYTES } from "../limits.ts";
import type { GlobalFacts, ModuleFacts } from "../wasm/module-facts.ts";
import type { SnapshotImage } from "../wire/snapshot.ts";

/** The first eight bytes; the last two are the version. */
const MAGIC = "spsnap02";
/** The magic, the length of the head, the number of stretches. */
const PREFIX_BYTES = 16;

/** Types of globals whose values can be written down. */
const NUMERIC: ReadonlySet<string> = new Set(["i32", "i64", "f32", "f64"]);

/** What an image was made of: it fits nothing else. */
export interface SnapshotOrigin {
  /** SHA-256 of the module, in hex. */
  readonly module: string;
  readonly init: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The image with what it was made of, packed with gzip when asked for. */
export async function encodeSnapshot(
  { pages, globals, stretches, bytes }: SnapshotImage,
  origin: SnapshotOrigin,
  gzip: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const values = globals.map(([name, value]) => [name, typeof value, String(value)]);
  const text = JSON.stringify({ origin: textOf(origin), pages, globals: values });
  const head = new TextEncoder().encode(text);
  // The numbers behind it lie where they can be read in place.
  const room = Math.ceil(head.length / 8) * 8;
  const start = new Uint8Array(PREFIX_BYTES + room).fill(0x20);
  new TextEncoder().encodeInto(MAGIC, start);
  new DataView(start.buffer).setUint32(8, room, true);
  new DataView(start.buffer).setUint32(12, stretches.length / 2, true);
  start.set(head, PREFIX_BYTES);
  const whole = new Blob([start, stretches, bytes]);
  const stream = gzip ? whole.stream().pipeThrough(new CompressionStream("gzip")) : whole.stream();
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Reads an image that anybody may have written: every offset and size is checked against the module that it is for.
 * Throws SandboxError `bad_snapshot` when it is damaged or made of something else.
 */
export function decodeSnapshot(
  whole: Uint8Array<ArrayBuffer>,
  origin: SnapshotOrigin,
  facts: ModuleFacts,
): SnapshotImage {
  if (whole.length < PREFIX_BYTES || textIn(whole, 0, MAGIC.length) !== MAGIC) {
    bad("it is none, or was written by another version");
  }
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  const room = view.getUint32(8, true);
  const places = PREFIX_BYTES + room;
  const count = view.getUint32(12, true);
  const content = places + count * 8;
  if (room > SNAPSHOT_HEAD_BYTES || room % 8 !== 0 || content > whole.length) bad("it is damaged");
  const head = headOf(textIn(whole, PREFIX_BYTES, room));
  if (head.origin !== textOf(origin)) bad("it was made of another module, or with other options");
  const pages = checkPages(head.pages, facts);
  const globals = readGlobals(head.globals, facts.globals);
  // In place where they are aligned, as they are unless somebody gave a part of a buffer.
  const from = whole.byteOffset % 4 === 0 ? whole : whole.slice();
  const stretches = new Uint32Array(from.buffer, from.byteOffset + places, count * 2);
  const length = coveredBytes(stretches, pages * WASM_PAGE_BYTES);
  if (length !== whole.length - content) bad("it is damaged");
  return { pages, globals, stretches, bytes: from.subarray(content) };
}

/** The sum of the lengths, once every stretch lies behind the one before and inside the memory. */
function coveredBytes(stretches: Uint32Array, memoryBytes: number): number {
  let sum = 0;
  let end = 0;
  for (let at = 0; at < stretches.length; at += 2) {
    const offset = stretches[at]!;
    const length = stretches[at + 1]!;
    if (offset < end || length === 0 || offset + length > memoryBytes) bad("it is damaged");
    end = offset + length;
    sum += length;
  }
  return sum;
}

function checkPages(pages: unknown, { memory }: ModuleFacts): number {
  const least = memory?.initial ?? 0;
  const most = memory?.maximum ?? 65_536;
  if (typeof pages !== "number" || !Number.isInteger(pages) || pages < least || pages > most) {
    bad(`its memory is not what the module's can be, ${least} to ${most} pages`);
  }
  return pages;
}

/** Exactly the mutable globals that the module exports, each with a value of its type. */
function readGlobals(given: unknown, known: readonly GlobalFacts[]): [string, number | bigint][] {
  const types = new Map(
    known
      .filter(({ mutable }) => mutable)
      .flatMap(({ exportedAs, type }) => exportedAs.map((name) => [name, type] as const)),
  );
  if (!Array.isArray(given) || given.length !== types.size) bad("its globals are not the module's");
  return (given as unknown[]).map((entry) => {
    const [name, kind, text] = Array.isArray(entry) ? (entry as unknown[]) : [];
    const type = typeof name === "string" ? types.get(name) : undefined;
    if (
      type === undefined ||
      !NUMERIC.has(type) ||
      typeof text !== "string" ||
      !/^[\w.+-]{1,32}$/.test(text)
    ) {
      bad("its globals are not the module's");
    }
    types.delete(name as string);
    const isWide = type === "i64";
    if (kind !== (isWide ? "bigint" : "number") || (isWide && !/^-?\d+$/.test(text))) {
      bad("its globals are not the module's");
    }
    return [name as string, isWide ? BigInt(text) : Number(text)];
  });
}

function headOf(text: string): { origin?: unknown; pages?: unknown; globals?: unknown } {
  try {
    const head: unknown = JSON.parse(text);
    if (typeof head === "object" && head !== null) return head;
  } catch (cause) {
    bad("it is damaged", cause);
  }
  return bad("it is damaged");
}

function textIn(whole: Uint8Array, start: number, length: number): string {
  return new TextDecoder().decode(whole.subarray(start, start + length));
}

/** Environment by name, so that the order in which it was written does not count. */
function textOf({ module, init, args, env }: SnapshotOrigin): string {
  const names = Object.keys(env).toSorted();
  return JSON.stringify([module, init, args, names.map((name) => [name, env[name]])]);
}

/** Throws the error for an image that cannot be used. */
export function bad(why: string, cause?: unknown): never {
  throw new SandboxError("bad_snapshot", `the snapshot's image does not fit: ${why}`, { cause });
}
