// The options of createToolDoor, and what is wrong with them; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { type ContractTool, doorTool } from "../tools/contract-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { BudgetOptions } from "./budget.ts";
import type { OnCall } from "./call-record.ts";
import type { Gate } from "./invoke-tool.ts";

/** Options of {@link createToolDoor}. */
export interface ToolDoorOptions {
  /** Asked before each call; see {@link Gate}. */
  readonly gate?: Gate;
  /** What the run may ask in all. */
  readonly budget?: BudgetOptions;
  /** Milliseconds that any call may take: the most for every tool, and the limit of those that give none. */
  readonly timeoutMs?: number;
  /** When it aborts, calls in flight and later ones end as `cancelled`, and the tools' own signals abort. */
  readonly signal?: AbortSignal;
  /** Told of the start and end of each call. */
  readonly onCall?: OnCall;
}

/** The tools that a door serves. @throws SandboxError `bad_tool`, `bad_option` */
export function servedTools(given: Iterable<Tool | ContractTool>): Tool[] {
  if (typeof (given as Partial<Iterable<unknown>> | undefined)?.[Symbol.iterator] !== "function") {
    throw new SandboxError("bad_option", "tools must be a list of tools");
  }
  const tools = Array.from(given, doorTool);
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name)) {
      throw new SandboxError("bad_tool", `two tools are named ${JSON.stringify(name)}`);
    }
    names.add(name);
  }
  return tools;
}

/** @throws SandboxError `bad_option` */
export function checkDoorOptions({ gate, onCall, timeoutMs, signal }: ToolDoorOptions): void {
  optionalFunction("gate", gate);
  optionalFunction("onCall", onCall);
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw new SandboxError("bad_option", "timeoutMs must be a positive number of milliseconds");
  }
  if (signal !== undefined && typeof signal.addEventListener !== "function") {
    throw new SandboxError("bad_option", "signal must be an AbortSignal");
  }
}

function optionalFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") {
    throw new SandboxError("bad_option", `${name} must be a function`);
  }
}
