// Loads Pyodide from the files that its package holds; worker.

/** The little of it that the bench uses. */
export interface Pyodide {
  setStdout(options: { batched: (line: string) => void }): void;
  runPython(code: string): unknown;
}

/** A new interpreter; the browser keeps the files. */
export async function loadPyodide(): Promise<Pyodide> {
  const folder = new URL("../pyodide/", location.href).href;
  const { loadPyodide: load } = (await import(`${folder}pyodide.mjs`)) as {
    loadPyodide: (this: void, options: { indexURL: string }) => Promise<Pyodide>;
  };
  return load({ indexURL: folder });
}
