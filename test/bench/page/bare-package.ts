// The floor of a package call: the bare shim in a worker that is there, a compiled module, the request on stdin; worker.

import { Fd, File, OpenFile, WASI } from "@bjorn3/browser_wasi_shim";

/** First the module, then a request for each run; the answer is what the guest printed. */
export type BareMessage = WebAssembly.Module | Uint8Array<ArrayBuffer>;

let module: WebAssembly.Module | undefined;

/** Keeps what is written, as it is. */
class Output extends Fd {
  readonly parts: Uint8Array[] = [];

  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    this.parts.push(data.slice());
    return { ret: 0, nwritten: data.length };
  }
}

addEventListener("message", ({ data }: MessageEvent<BareMessage>) => {
  if (data instanceof WebAssembly.Module) module = data;
  else postMessage(run(data));
});

function run(request: Uint8Array<ArrayBuffer>): string {
  const output = new Output();
  const descriptors = [new OpenFile(new File(request)), output, new Output()];
  const wasi = new WASI(["package"], [], descriptors, { debug: false });
  const instance = new WebAssembly.Instance(module!, { wasi_snapshot_preview1: wasi.wasiImport });
  wasi.start(instance as Parameters<WASI["start"]>[0]);
  const decoder = new TextDecoder();
  return output.parts.map((part) => decoder.decode(part, { stream: true })).join("");
}
