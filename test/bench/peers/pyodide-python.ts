// A Python run in Pyodide, told and answering as the bare shim's worker is; worker.

import type { BareRun } from "../page/python-starts.ts";

interface Pyodide {
  setStdout(options: { batched: (line: string) => void }): void;
  runPython(code: string): unknown;
}

addEventListener("message", ({ data }: MessageEvent<BareRun>) => {
  void run(data.args[1]!).then((stdout) => postMessage({ stdout }));
});

async function run(code: string): Promise<string> {
  const folder = new URL("../pyodide/", location.href).href;
  const { loadPyodide } = (await import(`${folder}pyodide.mjs`)) as {
    loadPyodide: (this: void, options: { indexURL: string }) => Promise<Pyodide>;
  };
  const python = await loadPyodide({ indexURL: folder });
  let stdout = "";
  python.setStdout({ batched: (line) => (stdout += `${line}\n`) });
  python.runPython(code);
  return stdout;
}
