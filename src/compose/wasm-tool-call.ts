// One call of a tool that runs a guest: the run, what it may call, and what it printed; page and Node.

import { WASM_TOOL_OUTPUT_BYTES } from "../limits.ts";
import type { RunOptions } from "../page/run-options.ts";
import type { RunResult } from "../page/run-result.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import { envelope, type ToolResultEnvelope } from "../tools/envelope.ts";
import type { CallOptions, RegistryOptions } from "../tools/provider.ts";
import { failedEnvelope, refusal } from "../tools/provider-failure.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { RUNS_GUESTS } from "./runs-guests.ts";
import type { GuestRunner, WasmToolOptions } from "./wasm-tool.ts";

/** Everything one call needs. */
export interface GuestCall {
  readonly called: string;
  readonly name: string;
  readonly options: WasmToolOptions;
  readonly get: () => Promise<GuestRunner>;
  readonly args: Readonly<Record<string, unknown>>;
  readonly callOptions: CallOptions & RegistryOptions;
}

/** Runs it. Never rejects. */
export async function callGuest(call: GuestCall): Promise<ToolResultEnvelope> {
  const { called, name, options, get, args, callOptions } = call;
  if (called !== name) return refusal("unknown_tool", `no tool is named ${called}`, called);
  try {
    return await run(options, await get(), args, callOptions);
  } catch (error) {
    return failedEnvelope(error, name);
  }
}

async function run(
  { run: optionsOf = runCode, tools = true, outputBytes = WASM_TOOL_OUTPUT_BYTES }: WasmToolOptions,
  sandbox: GuestRunner,
  args: Readonly<Record<string, unknown>>,
  options: CallOptions & RegistryOptions,
): Promise<ToolResultEnvelope> {
  const own = optionsOf(args);
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
