// The floors of the file benches: the bare shim with the same guest, and plain loops over arrays; worker.

import {
  ConsoleStdout,
  Fd,
  File,
  OpenFile,
  PreopenDirectory,
  WASI,
} from "@bjorn3/browser_wasi_shim";

/** What to do: run a guest, whose module came from `source`, or copy parts of so many bytes. */
export type BareFiles =
  | { readonly module: WebAssembly.Module; readonly source: string }
  | { readonly copy: "blocks" | "set"; readonly bytes: number; readonly part: number };

const BLOCK = 65_536;

/** A stream whose bytes leave for the page at once, as those of a sandbox do. */
class Streamed extends Fd {
  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    const nwritten = data.byteLength;
    postMessage({ output: data }, { transfer: [data.buffer] });
    return { ret: 0, nwritten };
  }
}

function runGuest(module: WebAssembly.Module): string {
  let told = "";
  const descriptors = [
    new OpenFile(new File([])),
    new Streamed(),
    new ConsoleStdout((bytes) => (told += new TextDecoder().decode(bytes))),
    new PreopenDirectory("/", new Map()),
  ];
  const wasi = new WASI(["bench"], [], descriptors, { debug: false });
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
  wasi.start(instance as Parameters<WASI["start"]>[0]);
  return told;
}

/** Appends to a list of blocks; gives nanoseconds. */
function fillBlocks(bytes: number, part: number): number {
  const source = new Uint8Array(2 * BLOCK);
  const blocks: Uint8Array[] = [];
  const start = performance.now();
  for (let done = 0; done < bytes; done += part) {
    const offset = done % BLOCK;
    if (offset === 0) blocks.push(new Uint8Array(BLOCK));
    blocks[blocks.length - 1]!.set(source.subarray(0, part), offset);
  }
  const ms = performance.now() - start;
  if (blocks.length * BLOCK !== bytes) throw new Error("not all of it was kept");
  return ms * 1e6;
}

/** Copies a large array part by part to one place; gives nanoseconds. */
function readParts(bytes: number, part: number): number {
  const source = new Uint8Array(bytes).fill(1);
  const target = new Uint8Array(BLOCK);
  const start = performance.now();
  for (let done = 0; done < bytes; done += part) target.set(source.subarray(done, done + part));
  return (performance.now() - start) * 1e6;
}

addEventListener("message", ({ data }: MessageEvent<BareFiles>) => {
  if ("module" in data) postMessage({ told: runGuest(data.module) });
  else {
    const work = data.copy === "blocks" ? fillBlocks : readParts;
    postMessage({ told: String(work(data.bytes, data.part)) });
  }
});
