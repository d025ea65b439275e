// All that stands between guests and their page: imports and caller, made once for runs of one kind; worker.
//
// Making the imports takes longer than a small guest runs. So they outlive a run that ended well, and each run gets its
// own streams, files, clocks and instance behind them; nothing of the run before is left there.

import type { PreopenSpec } from "../files/preopens.ts";
import { SandboxError } from "../errors.ts";
import { BlockingUnsupported, RunStopped } from "../wire/blocking-call.ts";
import type { BlockingCaller, BlockingEntry, RunHooks } from "../wire/blocking-call.ts";
import type { RunInit } from "../wire/messages.ts";
import { guestImports, type ProvidedModule } from "./guest-imports.ts";
import { createHostCall } from "./host-call.ts";
import type { GuestHttpFiles } from "./http-call.ts";
import type { HostKind } from "./host-kind.ts";
import type { DeferredCode } from "./load-code.ts";
import { newRunState, type RunState } from "./run-state.ts";
import type { Emit } from "./stdio.ts";
import { InstanceCopy, memoryOf } from "./snapshot-memory.ts";
import { createSubakoHttp, type SubakoHttp } from "./subako-http.ts";
import { createTreeHttpFiles } from "./tree-http-files.ts";
import { createWasi, WasiExit, type WasiHost } from "./wasi.ts";

/** A guest whose memory grows each time gets new instances: those cannot be put back. */
const GROWN_RUNS = 2;

/** Errno of a function that a host does not have, and of one that is not for this run. */
const NOSYS = 52;
const NOTSUP = 58;

/** What only some hosts have. */
export interface HostParts {
  /** The rest of the guest's code. What is kept as an image is without: an image holds no code. */
  readonly code?: DeferredCode;
  /** That of a module that imports one: it belongs to one run, and so does its host. */
  readonly memory?: WebAssembly.Memory | undefined;
}

/** Serves one run at a time. */
export class GuestHost {
  readonly caller: BlockingCaller;
  readonly wasi: WasiHost;
  readonly #module: WebAssembly.Module;
  readonly #kind: HostKind;
  readonly #imports: WebAssembly.Imports;
  readonly #imported: WebAssembly.Memory | undefined;
  readonly #code: DeferredCode | undefined;
  readonly #httpFiles: GuestHttpFiles;
  #state!: RunState;
  #door!: BlockingEntry;
  #http!: SubakoHttp;
  #ahead: WebAssembly.Instance | undefined;
  /** What the instance of the last run, or of the next, was when it was new. */
  #copy: InstanceCopy | undefined;
  /** Runs that left it such that it could not be put back. */
  #grown = 0;

  constructor(
    module: WebAssembly.Module,
    kind: HostKind,
    makeCaller: (hooks: RunHooks) => BlockingCaller,
    { code, memory: imported }: HostParts = {},
  ) {
    this.#module = module;
    this.#kind = kind;
    this.#imported = imported;
    this.#code = code;
    this.caller = makeCaller(this.#hooks());
    const { door, http, abi1, granted } = kind;
    this.wasi = createWasi({
      device: door,
      ...(http && !abi1 ? { httpDevice: (document, then) => this.#http.call(document, then) } : {}),
      allocate: !abi1,
      granted,
    });
    this.#httpFiles = createTreeHttpFiles(this.wasi.preopens);
    this.#forget();
    const check = (): void => this.check();
    this.#imports = guestImports(module, this.#provided(), imported, this.caller, check);
  }

  /** What is known of the run at work. */
  get state(): RunState {
    return this.#state;
  }

  /** Gives it a run. */
  begin(init: RunInit<PreopenSpec>, emit: Emit): void {
    this.#state = newRunState(init.timeoutMs);
    this.wasi.begin({ ...init, emit });
  }

  /** Throws once the run is over. */
  check(): void {
    const { exit, unsupported } = this.#state;
    if (exit) throw exit;
    if (unsupported) throw unsupported;
    if (this.caller.stopped()) throw new RunStopped();
  }

  /**
   * Gives the run its instance: the one that was made ahead, what `obtain` makes of the imports, or a new one. Throws
   * SandboxError, or what the start function's end was.
   */
  instantiate(
    obtain?: (imports: WebAssembly.Imports) => WebAssembly.Instance,
  ): WebAssembly.Instance {
    // A start function reaches an imported memory before there is an instance.
    if (this.#imported) this.#attach(this.#imported);
    const instance = this.#ahead ?? this.#instance(obtain);
    this.#ahead = undefined;
    this.#state.instance = instance;
    this.#attach(this.#imported ?? memoryOf(instance));
    return instance;
  }

  /**
   * Makes the instance of a run that is yet to come; gives its memory when that is a new one. Only for modules without a
   * start function. `inPlace`: the last run's may be put back.
   */
  makeAhead(inPlace: boolean): WebAssembly.Memory | undefined {
    if (this.#copy?.restore()) {
      this.#ahead = this.#copy.instance;
      return undefined;
    }
    if (this.#copy) this.#grown += 1;
    const made = this.#instance();
    this.#ahead = made;
    this.#copy = inPlace && this.#grown < GROWN_RUNS ? new InstanceCopy(made) : undefined;
    return memoryOf(made);
  }

  /** Lets go of an instance that no run came for; gives the bytes of its memory. */
  dropAhead(): number {
    const bytes = this.#ahead ? memoryOf(this.#ahead).buffer.byteLength : 0;
    this.#ahead = this.#copy = undefined;
    return bytes;
  }

  /** The run is over: forgets it. False when another cannot be served. */
  end(): boolean {
    this.#forget();
    this.wasi.end();
    return this.#imported === undefined && this.caller.renew();
  }

  #attach(memory: WebAssembly.Memory): void {
    this.#state.memory = memory;
    this.wasi.attach(memory);
  }

  #instance(obtain?: (imports: WebAssembly.Imports) => WebAssembly.Instance): WebAssembly.Instance {
    return instantiate(() =>
      obtain ? obtain(this.#imports) : new WebAssembly.Instance(this.#module, this.#imports),
    );
  }

  /** Nothing of a run is here. */
  #forget(): void {
    const memory = (): WebAssembly.Memory | undefined => this.#state.memory;
    const hasExport = (name: string): boolean =>
      typeof this.#state.instance?.exports[name] === "function";
    const { door, http: enabled } = this.#kind;
    this.#state = newRunState(0);
    this.#door = createHostCall({ memory, hasExport }, door);
    this.#http = createSubakoHttp({ memory, enabled, files: this.#httpFiles });
  }

  #provided(): Readonly<Record<string, ProvidedModule>> {
    const exit = (code: number): never => {
      throw (this.#state.exit ??= new WasiExit(code >>> 0));
    };
    const call: BlockingEntry = {
      parameters: this.#door.parameters,
      run: (a: number, b: number, c: number, d: number) => this.#door.run(a, b, c, d),
    };
    const request: BlockingEntry = {
      parameters: "ii",
      run: (ptr: number, len: number) => this.#http.request(ptr, len),
    };
    const loadCode: BlockingEntry = {
      parameters: "",
      run: () => this.#code?.join(this.#state.instance) ?? NOTSUP,
    };
    return {
      wasi_snapshot_preview1: {
        plain: { ...this.wasi.plain, proc_exit: exit },
        blocking: this.wasi.blocking,
        absent: () => NOSYS,
      },
      host: { plain: {}, blocking: { call } },
      subako_http: {
        plain: { read_response: (ptr: number, len: number) => this.#http.read_response(ptr, len) },
        blocking: { request },
      },
      sallyport: { plain: {}, blocking: { load_code: loadCode } },
    };
  }

  #hooks(): RunHooks {
    return {
      guestExport: (name) => this.#state.instance?.exports[name],
      endsRun: (error) =>
        error instanceof RunStopped ||
        error instanceof WasiExit ||
        error instanceof BlockingUnsupported,
      remainingMs: () => this.#state.clock.remainingMs(),
      pauseClock: () => this.#state.clock.pause(),
      resumeClock: () => this.#state.clock.resume(),
      ranOut: () => {
        this.#state.ranOut = true;
      },
      cannotBlock: (reason) => {
        this.#state.unsupported = reason;
      },
    };
  }
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
