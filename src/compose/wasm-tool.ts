// wasmTool(): "run code" as one tool, whose guest may call the registry's other tools through the door; page and Node.

import { SandboxError } from "../errors.ts";
import { WASM_TOOL_OUTPUT_BYTES } from "../limits.ts";
import type { Run } from "../page/run.ts";
import type { RunOptions } from "../page/run-options.ts";
import type { RunResult } from "../page/run-result.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import { envelope, type ToolResultEnvelope } from "../tools/envelope.ts";
import type { CallOptions, RegistryOptions, ToolProvider } from "../tools/provider.ts";
import { failedEnvelope, refusal } from "../tools/provider-failure.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";

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

/** Marks entries of tools that run guests, also in copies of them. */
const RUNS_GUESTS: unique symbol = Symbol("sallyport.runsGuests");

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
      if (called !== name) return refusal("unknown_tool", `no tool is named ${called}`, called);
      try {
        return await call(options, await get(), args, callOptions);
      } catch (error) {
        return failedEnvelope(error, name);
      }
    },
  };
}

async function call(
  { run = runCode, tools = true, outputBytes = WASM_TOOL_OUTPUT_BYTES }: WasmToolOptions,
  sandbox: GuestRunner,
  args: Readonly<Record<string, unknown>>,
  options: CallOptions & RegistryOptions,
): Promise<ToolResultEnvelope> {
  const own = run(args);
  const offered = own.door === undefined ? await offeredTools(tools, options) : [];
  const all = [...(own.tools ?? []), ...offered];
  const limits = { outputBytes, ...own.limits };
  const { timeoutMs, signal } = options;
  const { result } = sandbox.run({
    ...own,
    ...(all.length === 0 ? {} : { tools: all }),
    limits:
      timeoutMs === undefined
        ? limits
        : { ...limits, wallMs: Math.min(timeoutMs, limits.wallMs ?? timeoutMs) },
    ...(signal === undefined
      ? {}
      : { signal: own.signal ? AbortSignal.any([signal, own.signal]) : signal }),
  });
  return resultOf(await result);
}

function runCode({ code }: Readonly<Record<string, unknown>>): RunOptions {
  return { args: ["-c", String(code)] };
}

async function offeredTools(
  tools: NonNullable<WasmToolOptions["tools"]>,
  { registry, user, ctx, signal }: CallOptions & RegistryOptions,
): Promise<readonly Tool[]> {
  if (tools === false || !isRegistry(registry)) return [];
  const chosen = (entry: ToolEntry) =>
    typeof tools === "function" ? tools(entry) : tools === true || tools.includes(entry.name);
  const offer = await registry.doorTools((entry) => !(RUNS_GUESTS in entry) && chosen(entry), {
    ...(user === undefined ? {} : { user }),
    ...(ctx === undefined ? {} : { ctx }),
    ...(signal === undefined ? {} : { signal }),
  });
  return offer.tools;
}

/** A page may hold two copies of the library, so that instanceof would miss a registry of the other. */
function isRegistry(lister: RegistryOptions["registry"]): lister is ToolRegistry {
  return typeof (lister as Partial<ToolRegistry> | undefined)?.doorTools === "function";
}

function resultOf(result: RunResult): ToolResultEnvelope {
  const { status, exitCode, reason, error, stdoutText, stderrText } = result;
  const shown = {
    status,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined || error.message === "" ? {} : { message: error.message }),
    stdout: stdoutText,
    stderr: stderrText,
    ...(result.stdoutTruncated ? { stdout_truncated: true } : {}),
    ...(result.stderrTruncated ? { stderr_truncated: true } : {}),
  };
  return envelope.inline(shown, { is_error: status !== "exited" || exitCode !== 0 });
}
