// wasmTool(): "run code" as one tool, whose guest may call the registry's other tools through the door; page and Node.

import { SandboxError } from "../errors.ts";
import type { Run } from "../page/run.ts";
import type { RunOptions } from "../page/run-options.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import type { ToolProvider } from "../tools/provider.ts";
import { RUNS_GUESTS } from "./runs-guests.ts";

/** What runs guests: a sandbox. */
export interface GuestRunner {
  run(options: RunOptions): Run;
}

/** Options of {@link wasmTool}. */
export interface WasmToolOptions {
  /** The guest, or what makes it when the tool is called first. */
  readonly sandbox: GuestRunner | (() => GuestRunner | Promise<GuestRunner>);
  /** Default `run_code`. */
  readonly name?: string;
  /** What a model is told; the language and what is installed belong here. */
  readonly description?: string;
  /** JSON Schema of the arguments. Default: an object with the text `code`. */
  readonly parameters?: ToolEntry["parameters"];
  /** How the arguments are run. Default: `{ args: ["-c", code] }`, as Python and shells take it. */
  readonly run?: (args: Readonly<Record<string, unknown>>) => RunOptions;
  /**
   * Which of the registry's tools the guest may call: all (the default), none, those of these names, or those chosen.
   * Other tools that run guests are never offered.
   */
  readonly tools?: boolean | readonly string[] | ((entry: ToolEntry) => boolean);
  /** Bytes of stdout, and of stderr, in a result. Default 64 KiB. */
  readonly outputBytes?: number;
}

const CODE = Object.freeze({
  type: "object",
  properties: Object.freeze({
    code: Object.freeze({ type: "string", description: "The program" }),
  }),
  required: Object.freeze(["code"]),
  additionalProperties: false,
});

/**
 * Makes a provider of one tool that runs code in a sandbox. In a registry, the code can call the other tools, through the
 * registry's own checks, hooks and policies. The result is `{ status, exit_code, stdout, stderr }`; whatever is not an
 * exit with code 0 is an error that a model can read.
 *
 * @throws SandboxError `bad_option`
 * @example
 * const python = await createSandbox({ module: "/guests/python.wasm" });
 * const registry = toolRegistry([
 *   localTools(lookupRegion),
 *   wasmTool({ sandbox: python, name: "run_python", description: "Runs Python 3. `from host import tools` has the tools." }),
 * ]);
 * await registry.callTool("run_python", { code: "from host import tools\nprint(tools.lookup_region(code='EMEA'))" });
 */
export function wasmTool(options: WasmToolOptions): ToolProvider {
  const {
    sandbox,
    name = "run_code",
    description = "Runs a program and gives what it prints.",
  } = options;
  if (typeof sandbox !== "function" && typeof sandbox?.run !== "function") {
    throw new SandboxError(
      "bad_option",
      "the option sandbox is wrong: it has to be a sandbox, or a function that gives one",
    );
  }
  const entry: ToolEntry & { readonly [RUNS_GUESTS]: boolean } = Object.freeze({
    name,
    description,
    parameters: options.parameters ?? CODE,
    [RUNS_GUESTS]: true,
  });
  let runner: Promise<GuestRunner> | undefined;
  const start = async (): Promise<GuestRunner> =>
    typeof sandbox === "function" ? sandbox() : sandbox;
  const get = (): Promise<GuestRunner> => {
    if (runner === undefined) {
      runner = start();
      runner.catch(() => (runner = undefined));
    }
    return runner;
  };
  return {
    name,
    callOptions: ["timeoutMs", "signal", "registry", "user", "ctx"],
    listTools: () => [entry],
    callTool: async (called, args, callOptions = {}) => {
      const { callGuest } = await import("./wasm-tool-call.ts");
      return callGuest({ called, name, options, get, args, callOptions });
    },
  };
}
