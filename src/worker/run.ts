// One run of one guest: a fresh instance, its entry, and how it ended; worker.

import type { PreopenSpec } from "../files/preopens.ts";
import { SandboxError } from "../errors.ts";
import { WASM_PAGE_BYTES } from "../limits.ts";
import { entryName } from "../wasm/entry.ts";
import type { BlockingCaller, PlainImport } from "../wire/blocking-call.ts";
import type { RunInit, RunOutcome, Thrown } from "../wire/messages.ts";
import type { GuestHost } from "./guest-host.ts";
import { leftFiles } from "./left-files.ts";
import { LeftTrees } from "./left-trees.ts";
import type { RunState } from "./run-state.ts";
import type { Emit } from "./stdio.ts";

/** What ties a run to its page. */
export interface RunLink {
  /** Made for a run of this kind. */
  readonly host: GuestHost;
  readonly emit: Emit;
  /** The guest's own code is about to run. */
  started(): void;
  /** Where the instance comes from, when not made anew of the module. */
  readonly instances?: InstanceSource;
  /** Told of the guest's memory. */
  readonly holds?: (memory: WebAssembly.Memory) => void;
}

/** Gives a run its instance. */
export interface InstanceSource {
  /** Its instances are initialized: `_initialize` is not called. */
  readonly ready: boolean;
  obtain(imports: WebAssembly.Imports): WebAssembly.Instance;
}

/**
 * Instantiates the host's module and runs it to its end. On the shared-memory rung the promise is settled before this
 * returns to the event loop. Rejects with SandboxError only for what the page got wrong (imports, entry, memory).
 */
export async function runGuest(init: RunInit<PreopenSpec>, link: RunLink): Promise<RunOutcome> {
  const { host } = link;
  const { caller, wasi } = host;
  host.begin(init, link.emit);
  const { state } = host;
  const trees = init.abi1 ? new LeftTrees(wasi.preopens) : undefined;
  let thrown: { error: unknown } | undefined;
  let code = 0;
  try {
    host.check(); // a run that was stopped on its way here does not begin
    link.started();
    const { instances } = link;
    const obtain = instances && ((imports: WebAssembly.Imports) => instances.obtain(imports));
    const instance = host.instantiate(obtain);
    const value = await enterGuest(instance, init.entry, caller, instances?.ready === true);
    if (typeof value === "number") code = value;
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    thrown = { error };
  }
  if (state.memory) link.holds?.(state.memory);
  const end = outcome(state, caller, thrown, code);
  return {
    ...end,
    ...leftFiles(end, wasi, trees),
    ...(state.memory ? { memoryBytes: state.memory.buffer.byteLength } : {}),
  };
}

function outcome(
  state: RunState,
  caller: BlockingCaller,
  thrown: { error: unknown } | undefined,
  code: number,
): Omit<RunOutcome, "files"> {
  if (state.exit) return { end: "exited", exitCode: state.exit.code };
  if (state.ranOut) return { end: "timeout" };
  if (caller.stopped()) return { end: "stopped" };
  if (state.unsupported) return { end: "unsupported", reason: state.unsupported.kind };
  if (!thrown) return { end: "exited", exitCode: code };
  return { end: "trapped", thrown: describe(thrown.error) };
}

function describe(error: unknown): Thrown {
  if ("Exception" in WebAssembly && error instanceof WebAssembly.Exception) return {};
  if (!(error instanceof Error)) return { message: String(error) };
  return { message: error.message, stack: error.stack ?? "" };
}

/** The memory of a module that imports one. Throws SandboxError `resource_exhausted`. */
export function importMemory(init: RunInit<PreopenSpec>): WebAssembly.Memory | undefined {
  if (!init.importedMemory) return undefined;
  const { initial, maximum, shared } = init.importedMemory;
  try {
    return new WebAssembly.Memory({
      initial,
      ...(maximum === undefined ? {} : { maximum }),
      ...(shared ? { shared } : {}),
    });
  } catch (error) {
    throw new SandboxError(
      "resource_exhausted",
      `no memory of ${initial * WASM_PAGE_BYTES} bytes for the guest`,
      { cause: error },
    );
  }
}

/** Runs the entry: a command's `_start`, or a reactor's `_initialize` and then its export, whose value is the exit code. */
async function enterGuest(
  instance: WebAssembly.Instance,
  entry: string | undefined,
  caller: BlockingCaller,
  ready: boolean,
): Promise<unknown> {
  const { exports } = instance;
  const has = (name: string): boolean => typeof exports[name] === "function";
  // The page has seen to it that the export is there, and a memory.
  const name = entryName(entry, has);
  const call = (which: string): unknown => caller.enter(which, exports[which] as PlainImport);
  const begins = !ready && name !== "_start" && name !== "_initialize";
  if (begins && has("_initialize")) await call("_initialize");
  return await call(name);
}
