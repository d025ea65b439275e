// The snapshot of a sandbox: its options, whether the module allows it, and its making in the first worker; page and Node.

import { SandboxError } from "../errors.ts";
import type { DeepWalk } from "../wasm/deep-walk.ts";
import { noEntry } from "../wasm/entry.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import type { SnapshotImage } from "../wire/snapshot.ts";
import type { GuestWorker } from "./guest-worker.ts";
import type { LoadedModule } from "./load-module.ts";
import { wrong } from "./run-options.ts";

/**
 * Which exports make and use a snapshot. `init` is called once, with argv and environment of its own and an empty `/`; each
 * run then begins with `run` on a copy of the memory that `init` left, with its own argv, environment, files and streams.
 * Both take nothing and give nothing, or an i32: 0 for good.
 *
 * @example
 * const python = await createSandbox({
 *   module: "/guests/python.wasm",
 *   snapshot: { init: "snapshot_init", run: "snapshot_run", args: ["json", "re"] },
 * });
 */
export interface SnapshotOptions {
  /** The export that is called once. */
  readonly init: string;
  /** The export that runs begin with. */
  readonly run: string;
  /** Arguments of `init`, without argv[0]; our Python imports the modules that they name. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Does without a snapshot where the module has no such exports or cannot be put back; `sandbox.snapshot` tells. */
  readonly optional?: boolean;
}

/** Throws SandboxError `bad_option`. */
export function checkSnapshot(options: SnapshotOptions): void {
  if (typeof options !== "object" || options === null) wrong("snapshot", "an object");
  const { init, run, args = [], env = {}, optional } = options;
  if (typeof init !== "string") wrong("snapshot.init", "the name of an export");
  if (typeof run !== "string") wrong("snapshot.run", "the name of an export");
  if (!Array.isArray(args) || !args.every(isText)) {
    wrong("snapshot.args", "an array of strings without NUL characters");
  }
  if (optional !== undefined && typeof optional !== "boolean")
    wrong("snapshot.optional", "a boolean");
  if (typeof env !== "object" || env === null || !Object.entries(env).flat().every(isText)) {
    wrong("snapshot.env", "an object of strings without NUL characters");
  }
}

/** What more has to be read of a module: whether its code does what cannot be taken back. */
export async function walkForSnapshot(
  options: SnapshotOptions | undefined,
): Promise<{ deep?: DeepWalk }> {
  if (!options) return {};
  const { WALK_BODIES } = await import("../wasm/deep-walk.ts");
  return { deep: WALK_BODIES };
}

/**
 * Makes the snapshot in a worker that has the module, and leaves the worker with it; undefined where it is optional and
 * the module does not allow it. Rejects with SandboxError `bad_snapshot`, `no_entry` and what instantiating rejects with.
 */
export async function makeSnapshot(
  worker: GuestWorker,
  { facts }: LoadedModule,
  name: string,
  { init, run, args = [], env = {}, optional = false }: SnapshotOptions,
): Promise<SnapshotImage | undefined> {
  const problem = await problemOf(facts, [init, run]);
  if (problem && optional) return undefined;
  if (problem) throw problem;
  const image = await worker.takeSnapshot({ init, run, args, env }, name);
  await worker.useSnapshot(image);
  return image;
}

/** Memory and exported globals have to be all that `init` can change. */
async function problemOf(
  facts: ModuleFacts,
  entries: readonly string[],
): Promise<SandboxError | undefined> {
  const functions = facts.exports
    .filter(({ kind }) => kind === "function")
    .map((entry) => entry.name);
  for (const name of entries) {
    if (!functions.includes(name)) return noEntry(name, functions);
  }
  const { whyNoReset } = await import("../wasm/reset-in-place.ts");
  const why = facts.memory?.imported ? "it imports its memory" : whyNoReset(facts);
  if (why === undefined) return undefined;
  const advice =
    facts.byteLength === 0
      ? "; give its bytes or URL instead of a compiled Module"
      : "; a C guest is linked with -Wl,--export=__stack_pointer";
  return new SandboxError(
    "bad_snapshot",
    `the module cannot be put back to a snapshot: ${why}${advice}`,
    {
      data: { why },
    },
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string" && !value.includes("\0");
}
