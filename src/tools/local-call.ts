// One call of a function of the page: its arguments judged, its time bounded, its end an envelope; page, worker and Node.

import { TOOL_TIMEOUT_MS } from "../limits.ts";
import type { ContractTool, ToolEntry } from "./contract-tool.ts";
import { envelope, isEnvelope, type ToolResultEnvelope } from "./envelope.ts";
import type { CallOptions, ValidatorSource } from "./provider.ts";
import { readArguments } from "./provider-arguments.ts";
import { within } from "./provider-deadline.ts";
import { failedEnvelope, refusal } from "./provider-failure.ts";
import { checkOf, objectProblem } from "./provider-validation.ts";
import { type Tool, toolParts } from "./tool.ts";

/** A tool and its entry. */
export interface Served {
  readonly entry: ToolEntry;
  readonly made: Tool | ContractTool;
}

/** Calls it. Never rejects. */
export async function callLocal(
  { made, entry }: Served,
  args: unknown,
  options: CallOptions & { readonly validator: ValidatorSource },
): Promise<ToolResultEnvelope> {
  const { name } = made;
  const timeoutMs = options.timeoutMs ?? made.timeoutMs ?? TOOL_TIMEOUT_MS;
  try {
    let given: unknown = args;
    if ("entry" in made) {
      const check = await checkOf(entry, options.validator);
      const problem = objectProblem(args) ?? check(args);
      if (problem !== undefined) return refusal("invalid_arguments", problem, name);
    } else {
      const read = readArguments(toolParts(made), args);
      if (typeof read === "string") return refusal("invalid_arguments", read, name);
      given = read.args;
    }
    const { signal } = options;
    const value = await within({ tool: name, timeoutMs, signal }, (stop) =>
      made.execute(given, { name, signal: stop }),
    );
    return isEnvelope(value) ? value : envelope.inline(value);
  } catch (error) {
    return failedEnvelope(error, name);
  }
}
