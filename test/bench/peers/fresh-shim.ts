// The stock build in the bare browser_wasi_shim, compiled once, a fresh instance for each program; worker.

import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";
import type { FreshAnswer, FreshRun } from "../page/python-peers.ts";

let module: WebAssembly.Module | undefined;

addEventListener("message", ({ data }: MessageEvent<FreshRun>) => {
  void run(data.code).then((answer) => postMessage(answer));
});

async function run(code: string): Promise<FreshAnswer> {
  module ??= await WebAssembly.compileStreaming(fetch("../interpreters/python.wasm"));
  let stdout = "";
  const descriptors = [
    new OpenFile(new File([])),
    ConsoleStdout.lineBuffered((line) => (stdout += `${line}\n`)),
    ConsoleStdout.lineBuffered((line) => (stdout += `${line}\n`)),
    new PreopenDirectory("/", new Map()),
  ];
  // It logs every path that it looks up unless it is told not to.
  const wasi = new WASI(["python", "-c", code], [], descriptors, { debug: false });
  const imports = { wasi_snapshot_preview1: wasi.wasiImport };
  const instance = await WebAssembly.instantiate(module, imports);
  wasi.start(instance as Parameters<WASI["start"]>[0]);
  return { stdout };
}
