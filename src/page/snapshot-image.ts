// A snapshot as bytes, to be stored or shipped: a head of JSON, numbers of blocks, blocks, packed with gzip; page and Node.

import { SandboxError } from "../errors.ts";
import { inflate } from "../files/inflate.ts";
import { WASM_PAGE_BYTES } from "../limits.ts";
import { SNAPSHOT_BLOCK, type SnapshotImage } from "../wire/snapshot.ts";

/** Pages of a 32-bit memory. */
const MOST_PAGES = 65_536;
const MOST_HEAD_BYTES = 65_536;
const VERSION = 1;

/** What an image was made of: it fits nothing else. */
export interface SnapshotOrigin {
  /** SHA-256 of the module, in hex. */
  readonly module: string;
  readonly init: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The image with what it was made of. */
export async function encodeSnapshot(
  { pages, globals, blocks, bytes }: SnapshotImage,
  origin: SnapshotOrigin,
): Promise<Uint8Array<ArrayBuffer>> {
  const values = globals.map(([name, value]) => [name, typeof value, String(value)]);
  const head = { version: VERSION, origin: textOf(origin), pages, globals: values };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const lengths = new Uint8Array(8);
  new DataView(lengths.buffer).setUint32(0, text.length, true);
  new DataView(lengths.buffer).setUint32(4, blocks.length, true);
  const numbers = new Uint8Array(blocks.buffer, blocks.byteOffset, blocks.byteLength);
  const packed = new Blob([lengths, text, numbers, bytes])
    .stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** Throws SandboxError `bad_snapshot` when it is damaged or made of something else. */
export async function decodeSnapshot(
  packed: Uint8Array<ArrayBuffer>,
  origin: SnapshotOrigin,
): Promise<SnapshotImage> {
  const most = 8 + MOST_HEAD_BYTES + MOST_PAGES * (WASM_PAGE_BYTES + 64);
  const whole = await inflate([packed], most).catch((cause: unknown) =>
    bad("it is damaged", cause),
  );
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  const length = whole.length < 8 ? MOST_HEAD_BYTES + 1 : view.getUint32(0, true);
  const count = whole.length < 8 ? 0 : view.getUint32(4, true);
  const start = 8 + length;
  if (length > MOST_HEAD_BYTES || whole.length !== start + count * (4 + SNAPSHOT_BLOCK)) {
    bad("it is damaged");
  }
  const { version, origin: made, pages, globals } = headOf(whole.subarray(8, start));
  if (version !== VERSION) bad("it was written by another version");
  if (made !== textOf(origin)) bad("it was made of another module, or with other options");
  const blocks = new Uint32Array(whole.slice(start, start + count * 4).buffer);
  const inside = blocks.every(
    (block, at) =>
      block < (pages * WASM_PAGE_BYTES) / SNAPSHOT_BLOCK && (at === 0 || block > blocks[at - 1]!),
  );
  if (!(pages > 0 && pages <= MOST_PAGES) || !inside) bad("it is damaged");
  return { pages, globals, blocks, bytes: whole.slice(start + count * 4) };
}

interface Head {
  readonly version: unknown;
  readonly origin: unknown;
  readonly pages: number;
  readonly globals: [name: string, value: number | bigint][];
}

function headOf(bytes: Uint8Array): Head {
  try {
    const head = JSON.parse(new TextDecoder().decode(bytes)) as Omit<Head, "globals"> & {
      globals: [string, string, string][];
    };
    const globals = head.globals.map(([name, type, value]): [string, number | bigint] => [
      name,
      type === "bigint" ? BigInt(value) : Number(value),
    ]);
    return { ...head, globals };
  } catch (cause) {
    return bad("it is damaged", cause);
  }
}

/** Environment by name, so that the order in which it was written does not count. */
function textOf({ module, init, args, env }: SnapshotOrigin): string {
  const names = Object.keys(env).toSorted();
  return JSON.stringify([module, init, args, names.map((name) => [name, env[name]])]);
}

function bad(why: string, cause?: unknown): never {
  throw new SandboxError("bad_snapshot", `the snapshot's image does not fit: ${why}`, { cause });
}
