// Loads the interpreter once, and again when that failed; page.
import { createSandbox, SandboxError } from "sallyport";
import { INTERPRETERS } from "./interpreters.ts";

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/** How far it is; `total` is unknown when the server packs the file. */
export type LoadState =
  | { readonly state: "loading"; readonly loaded: number; readonly total: number | undefined }
  | { readonly state: "ready"; readonly sandbox: Sandbox; readonly python: string }
  | { readonly state: "failed"; readonly error: unknown };

/** The one sandbox of the playground: compiled once, whatever the number of runs. */
export class Guest {
  private readonly changed: (state: LoadState) => void;
  private loading: Promise<Sandbox> | undefined;
  private version: Promise<string> | undefined;

  constructor(changed: (state: LoadState) => void) {
    this.changed = changed;
  }

  /** Begins to load, or answers with what is there or on its way. Rejects with SandboxError; the next call tries again. */
  sandbox(): Promise<Sandbox> {
    this.loading ??= this.load();
    return this.loading;
  }

  /** Which Python it is, such as "3.11.2", in its own words. */
  pythonVersion(): Promise<string> {
    this.version ??= this.askVersion();
    this.version.catch(() => (this.version = undefined));
    return this.version;
  }

  private async askVersion(): Promise<string> {
    const sandbox = await this.sandbox();
    const args = ["-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"];
    const { stdoutText, stderrText } = await sandbox.run({ argv0: "python", args }).result;
    if (!/^3\.\d+\.\d+\n$/.test(stdoutText))
      throw new Error(`Python did not say what it is: ${stderrText}`);
    return stdoutText.trim();
  }

  private async load(): Promise<Sandbox> {
    try {
      const { sandbox, python } = await this.first();
      this.changed({ state: "ready", sandbox, python });
      return sandbox;
    } catch (error) {
      this.loading = undefined;
      this.changed({ state: "failed", error });
      throw error;
    }
  }

  /** The first interpreter that can be had. */
  private async first(): Promise<{ sandbox: Sandbox; python: string }> {
    let problem: unknown;
    for (const { options, name } of INTERPRETERS) {
      this.changed({ state: "loading", loaded: 0, total: undefined });
      try {
        const onProgress = (progress: { loaded: number; total: number | undefined }): void =>
          this.changed({ state: "loading", ...progress });
        // oxlint-disable-next-line no-await-in-loop -- one is loaded only where the one before is not to be had
        const sandbox = await createSandbox({ ...options, onProgress });
        const python = name(sandbox.snapshot);
        if (problem) console.warn(`The playground runs ${python}:`, problem);
        return { sandbox, python };
      } catch (error) {
        problem = error;
        // Another module would not help against a worker that does not start.
        if (error instanceof SandboxError && error.code === "worker_failed") break;
      }
    }
    throw problem;
  }
}
