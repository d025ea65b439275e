// A guest of the file benches in @runno/wasi, told and answering as the bare shim's worker is; worker.

import { WASI } from "@runno/wasi";
import type { BareFiles } from "../page/bare-files.ts";

addEventListener("message", ({ data }: MessageEvent<BareFiles>) => {
  if (!("module" in data)) return;
  let told = "";
  const ended = WASI.start(fetch(data.source), {
    args: ["bench"],
    env: {},
    stdout: (output) => postMessage({ output }),
    stderr: (text) => (told += text),
    stdin: () => null,
    fs: {},
  });
  void ended.then(() => postMessage({ told }));
});
