// What a case of Python's behaviours is: a program and what has to come of it, on each build; page and Node.

import { pythonAt } from "../../guests/python/page/options.js";
import type * as Sallyport from "../../src/index.ts";

/**
 * Which Python a case runs on; "snapshot" is our own, each run started from a snapshot that the page makes, and "shipped"
 * the core as it has started, with the library that comes with it.
 */
export type Build = "own" | "snapshot" | "shipped" | "stock";

/** How a sandbox of the build is made. `module` is what the build's cases get; "shipped" has its files beside it. */
export function sandboxOptions(build: Build, module: URL): Sallyport.SandboxOptions {
  if (build === "shipped") return pythonAt(new URL(".", module));
  const spec = { init: "snapshot_init", run: "snapshot_run", args: ["json", "random"] };
  return build === "snapshot" ? { module, snapshot: spec } : { module };
}

/** What a case is given. */
export interface PythonEnv {
  readonly api: typeof Sallyport;
  readonly build: Build;
  /** The build as createSandbox takes it. */
  readonly module: URL;
  /** One sandbox for all cases of a build. */
  sandbox(): Promise<Sallyport.Sandbox>;
}

/** One case. */
export interface PythonCase {
  readonly name: string;
  readonly run: (env: PythonEnv) => Promise<void>;
  /** Why it cannot be on a build. */
  readonly skip?: (build: Build) => string | undefined;
}

/** How a program ended. */
export interface Ended {
  readonly status: string;
  readonly exitCode: number | undefined;
  readonly out: string;
  readonly err: string;
  readonly files: Readonly<Record<string, Uint8Array | null>> | undefined;
  readonly calls: readonly { readonly name?: string | undefined }[];
}

/** Runs `program` as `python -c`, or with the arguments given instead. */
export async function runPython(
  env: PythonEnv,
  program: string | readonly string[],
  options: Sallyport.RunOptions = {},
): Promise<Ended> {
  const sandbox = await env.sandbox();
  const args = typeof program === "string" ? ["-c", program] : program;
  const result = await sandbox.run({ argv0: "python", args, ...options }).result;
  const { status, exitCode, stdoutText, stderrText, files, calls } = result;
  return { status, exitCode, out: stdoutText, err: stderrText, files, calls };
}

/** Cases by name; what is only for our own build says why the stock one is left out. */
export function pythonCases(
  entries: Readonly<Record<string, PythonCase["run"]>>,
  notOnStock?: string,
): PythonCase[] {
  return Object.entries(entries).map(([name, run]) => ({
    name,
    run,
    ...(notOnStock === undefined
      ? {}
      : { skip: (build: Build) => (build === "stock" ? notOnStock : undefined) }),
  }));
}

/** A case that is nothing but a program and its output. */
export function prints(
  program: string,
  expected: string,
  options?: Sallyport.RunOptions,
): PythonCase["run"] {
  return async (env) => {
    const { status, exitCode, out, err } = await runPython(env, program, options);
    const seen = JSON.stringify([status, exitCode, out]);
    const wanted = JSON.stringify(["exited", 0, expected]);
    if (seen !== wanted) throw new Error(`${seen} is not ${wanted}\n${err}`);
  };
}
