// What a case of the common suite is: one function, run in Chromium in each header mode and in Node; page and Node.

import type * as Sallyport from "../../src/index.ts";
import type * as Packages from "../../src/package.ts";

/** What a case is given. */
export interface SuiteEnv {
  /** The built library: the page's entry, or Node's. */
  readonly api: typeof Sallyport;
  /** `sallyport/package`; in Node its `loadPackage` runs packages on threads. */
  readonly packages: typeof Packages;
  /** The header mode of the page, or "node". */
  readonly mode: string;
  /** A guest of test/guests as `createSandbox` takes it. */
  guest(name: string): string | URL;
  /** The bytes of such a guest. */
  guestBytes(name: string): Promise<Uint8Array<ArrayBuffer>>;
  /** The bytes behind what `guest` and `interpreter` give. */
  readFile(address: string | URL): Promise<Uint8Array<ArrayBuffer>>;
  /** The text of the Python kit for packages. */
  pythonKit(): Promise<string>;
  /** A stock interpreter. */
  interpreter(name: "python" | "quickjs" | "ruby"): string | URL;
  /** A path of the test server; undefined in Node. */
  url(path: string): string | undefined;
  /** The rung that this mode has to use. */
  readonly transport: "shared-memory" | "suspending";
}

/** One case. */
export interface Case {
  readonly name: string;
  readonly run: (env: SuiteEnv) => Promise<void>;
  /** Leaves the case out of a mode, for a reason that is printed. */
  readonly skip?: (env: Pick<SuiteEnv, "mode" | "transport">) => string | undefined;
  /** Headers make no difference to it: one kind of page runs it, and Node. */
  readonly once?: true;
  /** Milliseconds; default 20,000. */
  readonly timeoutMs?: number;
}

type Options = Omit<Case, "name" | "run">;

/** Makes a list of cases whose names share a beginning. */
export function cases(
  group: string,
  entries: Readonly<Record<string, Case["run"] | readonly [Case["run"], Options]>>,
): Case[] {
  return Object.entries(entries).map(([name, entry]) => {
    const [run, options] = typeof entry === "function" ? [entry, {}] : entry;
    return { name: `${group}: ${name}`, run, ...options };
  });
}

/** What a promise rejects with; an error when it does not. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { code?: string; data?: unknown }> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not reject");
}

/** Milliseconds of sleep. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
export const bytes = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);
