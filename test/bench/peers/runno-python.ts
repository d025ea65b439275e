// A Python run in @runno/wasi, told and answering as the bare shim's worker is; worker.

import { WASI } from "@runno/wasi";
import type { BareRun } from "../page/python-starts.ts";

addEventListener("message", ({ data }: MessageEvent<BareRun>) => {
  let stdout = "";
  const ended = WASI.start(fetch(data.source as string), {
    args: ["python", ...data.args],
    env: {},
    stdout: (text) => (stdout += text),
    stderr: (text) => (stdout += text),
    stdin: () => null,
    fs: {},
  });
  void ended.then(() => postMessage({ stdout }));
});
