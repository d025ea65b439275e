// A Python run in Pyodide, told and answering as the bare shim's worker is; worker.

import type { BareRun } from "../page/python-starts.ts";
import { loadPyodide } from "./load-pyodide.ts";

addEventListener("message", ({ data }: MessageEvent<BareRun>) => {
  void run(data.args[1]!).then((stdout) => postMessage({ stdout }));
});

async function run(code: string): Promise<string> {
  const python = await loadPyodide();
  let stdout = "";
  python.setStdout({ batched: (line) => (stdout += `${line}\n`) });
  python.runPython(code);
  return stdout;
}
