// One run of one guest: a fresh instance, its imports, its entry, and how it ended; worker.

import type { PreopenSpec } from "../files/preopens.ts";
import { SandboxError } from "../errors.ts";
import { WASM_PAGE_BYTES } from "../limits.ts";
import { entryName } from "../wasm/entry.ts";
import { BlockingUnsupported, RunStopped } from "../wire/blocking-call.ts";
import type { BlockingCaller, PlainImport, RunHooks } from "../wire/blocking-call.ts";
import type { RunInit, RunOutcome, Thrown } from "../wire/messages.ts";
import { GuestClock } from "./guest-clock.ts";
import { guestImports } from "./guest-imports.ts";
import { createHostCall } from "./host-call.ts";
import { leftFiles } from "./left-files.ts";
import { LeftTrees } from "./left-trees.ts";
import { createSubakoHttp } from "./subako-http.ts";
import { createTreeHttpFiles } from "./tree-http-files.ts";
import type { Emit } from "./stdio.ts";
import { createWasi, WasiExit } from "./wasi.ts";

/** What ties a run to its page. */
export interface RunLink {
  /** Makes the rung's worker half for this run. */
  caller(hooks: RunHooks): BlockingCaller;
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

/** Errno of a function that a host does not have. */
const NOSYS = 52;

/** What is known of a run while it lasts; the end is decided by these, not by how the guest returned. */
interface RunState {
  instance?: WebAssembly.Instance;
  memory?: WebAssembly.Memory;
  exit?: WasiExit;
  ranOut: boolean;
  unsupported?: BlockingUnsupported;
}

/**
 * Instantiates `module` and runs it to its end. On the shared-memory rung the promise is settled before this returns to
 * the event loop. Rejects with SandboxError only for what the page got wrong (imports, entry, memory).
 */
export async function runGuest(
  module: WebAssembly.Module,
  init: RunInit<PreopenSpec>,
  link: RunLink,
): Promise<RunOutcome> {
  const state: RunState = { ranOut: false };
  const clock = new GuestClock(init.timeoutMs);
  const caller = link.caller(runHooks(state, clock));
  const check = (): void => {
    if (state.exit) throw state.exit;
    if (state.unsupported) throw state.unsupported;
    if (caller.stopped()) throw new RunStopped();
  };
  const wasi = createWasi({
    ...init,
    emit: link.emit,
    device: init.door,
    // Made below: it needs the trees that are made here, and is called only once the guest runs.
    ...(init.http && init.abi1 !== true
      ? { httpDevice: (document, then) => http.call(document, then) }
      : {}),
    allocate: init.abi1 !== true,
  });
  const trees = init.abi1 ? new LeftTrees(wasi.preopens) : undefined;
  const http = createSubakoHttp({
    memory: () => state.memory,
    enabled: init.http,
    files: createTreeHttpFiles(wasi.preopens),
  });
  const door = createHostCall(
    {
      memory: () => state.memory,
      hasExport: (name) => typeof state.instance?.exports[name] === "function",
    },
    init.door,
  );
  const exit = (code: number): never => {
    throw (state.exit ??= new WasiExit(code >>> 0));
  };
  const provided = {
    wasi_snapshot_preview1: {
      plain: { ...wasi.plain, proc_exit: exit },
      blocking: wasi.blocking,
      absent: () => NOSYS,
    },
    host: { plain: {}, blocking: { call: door } },
    subako_http: {
      plain: { read_response: http.read_response },
      blocking: { request: { run: http.request, parameters: "ii" } },
    },
  };

  const imported = importMemory(init);
  if (imported) attach(imported);
  const imports = guestImports(module, provided, imported, caller, check);
  let thrown: { error: unknown } | undefined;
  let code = 0;
  try {
    check(); // a run that was stopped on its way here does not begin
    link.started();
    const { instances } = link;
    const instance = instantiate(() =>
      instances ? instances.obtain(imports) : new WebAssembly.Instance(module, imports),
    );
    state.instance = instance;
    attach(imported ?? (instance.exports["memory"] as WebAssembly.Memory));
    const value = await enterGuest(instance, init.entry, caller, instances?.ready === true);
    if (typeof value === "number") code = value;
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    thrown = { error };
  }
  const end = outcome(state, caller, thrown, code);
  return {
    ...end,
    ...leftFiles(end, wasi, trees),
    ...(state.memory ? { memoryBytes: state.memory.buffer.byteLength } : {}),
  };

  function attach(memory: WebAssembly.Memory): void {
    state.memory = memory;
    link.holds?.(memory);
    wasi.attach(memory);
  }
}

function runHooks(state: RunState, clock: GuestClock): RunHooks {
  return {
    guestExport: (name) => state.instance?.exports[name],
    endsRun: (error) =>
      error instanceof RunStopped ||
      error instanceof WasiExit ||
      error instanceof BlockingUnsupported,
    remainingMs: () => clock.remainingMs(),
    pauseClock: () => clock.pause(),
    resumeClock: () => clock.resume(),
    ranOut: () => {
      state.ranOut = true;
    },
    cannotBlock: (reason) => {
      state.unsupported = reason;
    },
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

function instantiate(make: () => WebAssembly.Instance): WebAssembly.Instance {
  try {
    return make();
  } catch (error) {
    if (error instanceof WebAssembly.LinkError) {
      throw new SandboxError("missing_import", `the module does not link: ${error.message}`, {
        cause: error,
      });
    }
    if (error instanceof RangeError && /memory/i.test(error.message)) {
      throw new SandboxError("resource_exhausted", `no memory for another guest: ${error.message}`);
    }
    throw error; // the start function's own end
  }
}

function importMemory(init: RunInit<PreopenSpec>): WebAssembly.Memory | undefined {
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
