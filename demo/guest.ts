// Loads the interpreter once, and again when that failed; page.
import { createSandbox } from "sallyport";

/** The interpreter, relative to the page: our own CPython where it was built, else a stock one (scripts/copy-guests.mjs). */
export const GUEST_FILE = "guests/python.wasm";

/** Our own CPython starts a run in a few milliseconds; a stock one has no such exports and does without. */
const SNAPSHOT = {
  init: "snapshot_init",
  run: "snapshot_run",
  args: ["json", "re", "random", "datetime", "inspect", "typing", "keyword"],
  optional: true,
};

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/** How far it is; `total` is unknown when the server packs the file. */
export type LoadState =
  | { readonly state: "loading"; readonly loaded: number; readonly total: number | undefined }
  | { readonly state: "ready"; readonly sandbox: Sandbox }
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
    this.changed({ state: "loading", loaded: 0, total: undefined });
    try {
      const sandbox = await createSandbox({
        module: new URL(GUEST_FILE, document.baseURI),
        snapshot: SNAPSHOT,
        onProgress: (progress) => this.changed({ state: "loading", ...progress }),
      });
      this.changed({ state: "ready", sandbox });
      return sandbox;
    } catch (error) {
      this.loading = undefined;
      this.changed({ state: "failed", error });
      throw error;
    }
  }
}
