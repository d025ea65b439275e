// CPython saying hello: through the library, and in the bare shim with the same module; page.

import { answerInTitle } from "./answer-title.ts";
import type { Sallyport } from "./bench-env.ts";
import { importLibrary, type Shipped, workerScript } from "./library.ts";

const MODULE = new URL("../interpreters/python.wasm", location.href).href;
const CODE = "print('hi')";

/** One way of running Python; each function gives milliseconds and throws when the output is wrong. */
export interface PythonStarts {
  /** From nothing: what is needed is fetched, compiled and run. Once per page. */
  cold(): Promise<number>;
  /** In a new worker, with the module of the cold run. */
  fresh(): Promise<number>;
  /** In the worker of the last run. */
  pooled(): Promise<number>;
}

/** Through the library, which is fetched in the cold run, too. */
export class OurPython implements PythonStarts {
  private readonly shipped: Shipped;
  private sandbox!: Sallyport.Sandbox;
  private worker: Worker | undefined;

  constructor(shipped: Shipped) {
    this.shipped = shipped;
  }

  cold(): Promise<number> {
    return timed(async () => {
      const { createSandbox } = await importLibrary(this.shipped);
      const script = workerScript(this.shipped);
      this.sandbox = await createSandbox({
        module: MODULE,
        // As the library does it itself; from outside, the worker can be retired.
        worker: () => (this.worker = new Worker(script, { type: "module" })),
      });
      await this.run();
    });
  }

  async fresh(): Promise<number> {
    const retired = this.worker!;
    retired.dispatchEvent(new ErrorEvent("error", { message: "retired by the bench" }));
    retired.terminate();
    const ms = await timed(() => this.run());
    if (this.worker === retired) throw new Error("the run took the old worker");
    return ms;
  }

  async pooled(): Promise<number> {
    const { worker } = this;
    const ms = await timed(() => this.run());
    if (this.worker !== worker) throw new Error("the run took a new worker");
    return ms;
  }

  private async run(): Promise<void> {
    const { status, stdoutText, stderrText } = await this.sandbox.run({ args: ["-c", CODE] })
      .result;
    if (stdoutText !== "hi\n") throw new Error(`${status}: ${stdoutText} ${stderrText}`);
  }
}

/** What the worker of the bare shim is told, and says. */
export interface BareRun {
  readonly args: readonly string[];
  readonly source: string | WebAssembly.Module;
}
export type BareResult = { readonly stdout: string; readonly module: WebAssembly.Module };

/** In a worker script that another library wrote, or nearly so: the bare shim's, or a peer's. */
export class BarePython implements PythonStarts {
  private readonly script: string;
  private worker: Worker | undefined;
  private module: WebAssembly.Module | undefined;

  constructor(script: string) {
    this.script = script;
  }

  cold(): Promise<number> {
    return timed(() => this.run(this.start(), MODULE));
  }

  fresh(): Promise<number> {
    this.worker!.terminate();
    return timed(() => this.run(this.start(), this.module!));
  }

  pooled(): Promise<number> {
    return timed(() => this.run(this.worker!, this.module!));
  }

  private start(): Worker {
    return (this.worker = new Worker(new URL(this.script, location.href), { type: "module" }));
  }

  private async run(worker: Worker, source: string | WebAssembly.Module): Promise<void> {
    const request: BareRun = { args: ["-c", CODE], source };
    const { stdout, module } = await new Promise<BareResult>((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => resolve(data), { once: true });
      worker.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
      worker.postMessage(request);
    });
    this.module = module;
    if (stdout.trim() !== "hi") throw new Error(`${this.script}: ${stdout}`);
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const ways = {
  ours: new OurPython("app"),
  dist: new OurPython("dist"),
  bare: new BarePython("bare-python.js"),
  // Served only when the peers are measured.
  runno: new BarePython("runno-python.js"),
  pyodide: new BarePython("pyodide-python.js"),
};

/** The ways of running Python that the page offers. */
export type PythonWay = keyof typeof ways;

(globalThis as { python?: unknown }).python = ways;

answerInTitle({
  ours: () => ways.ours.cold(),
  dist: () => ways.dist.cold(),
  bare: () => ways.bare.cold(),
});
