// Pyodide, loaded anew for each program: the only way to a fresh interpreter that it documents; worker.

import type { FreshAnswer, FreshRun } from "../page/python-peers.ts";
import { loadPyodide } from "./load-pyodide.ts";

addEventListener("message", ({ data }: MessageEvent<FreshRun>) => {
  void run(data.code).then((answer) => postMessage(answer));
});

async function run(code: string): Promise<FreshAnswer> {
  const python = await loadPyodide();
  let stdout = "";
  python.setStdout({ batched: (line) => (stdout += `${line}\n`) });
  python.runPython(code);
  return { stdout };
}
