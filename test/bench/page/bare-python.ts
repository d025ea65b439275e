// The floor of a Python run: the bare shim, compileStreaming, nothing else; worker.

import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";
import type { BareResult, BareRun } from "./python-starts.ts";

addEventListener("message", ({ data }: MessageEvent<BareRun>) => {
  void run(data).then((result) => postMessage(result));
});

async function run({ args, source }: BareRun): Promise<BareResult> {
  const module =
    typeof source === "string" ? await WebAssembly.compileStreaming(fetch(source)) : source;
  let stdout = "";
  const descriptors = [
    new OpenFile(new File([])),
    ConsoleStdout.lineBuffered((line) => (stdout += `${line}\n`)),
    ConsoleStdout.lineBuffered(() => {}),
    new PreopenDirectory("/", new Map()),
  ];
  // It logs every path that it looks up unless it is told not to.
  const wasi = new WASI(["python", ...args], [], descriptors, { debug: false });
  const instance = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: wasi.wasiImport,
  });
  wasi.start(instance as Parameters<WASI["start"]>[0]);
  return { stdout, module };
}
