// What went wrong in a call, as the type and message that its envelope tells; page, worker and Node.

import { SandboxError, type SandboxErrorCode } from "../errors.ts";
import { errorEnvelope, type ToolResultEnvelope } from "./envelope.ts";
import { readToolError, ToolError, type ToolErrorKind } from "./tool-error.ts";

/** The classes that the kinds of the tool protocol have in a guest; envelopes use the same words. */
const KIND_TYPES: Readonly<Record<ToolErrorKind, string>> = {
  protocol: "ToolProtocolError",
  unknown_tool: "ToolArgumentError",
  invalid_arguments: "ToolArgumentError",
  denied: "ToolDenied",
  tool_error: "ToolError",
  timeout: "ToolTimeout",
  cancelled: "ToolCancelled",
  too_large: "ToolTooLarge",
  budget_exceeded: "ToolBudgetExceeded",
};

/** The names that errors of routing have in the contract. */
const CODE_TYPES: Partial<Readonly<Record<SandboxErrorCode, string>>> = {
  tool_conflict: "ToolRouteConflictError",
  unclaimed_tool: "UnclaimedToolError",
  tool_unavailable: "ExplicitToolUnavailableError",
};

/** The type and message of anything thrown. Reading it never throws. */
export function failureOf(thrown: unknown): { type: string; message: string } {
  const said = readToolError(thrown);
  if (said !== undefined)
    return { type: KIND_TYPES[said.kind] ?? "ToolError", message: said.message };
  try {
    if (thrown instanceof SandboxError) {
      return { type: CODE_TYPES[thrown.code] ?? thrown.name, message: thrown.message };
    }
    if (thrown instanceof Error) return { type: thrown.name || "Error", message: thrown.message };
    return { type: typeof thrown, message: String(thrown) };
  } catch {
    return { type: "Error", message: "the tool failed" };
  }
}

/** The envelope of anything thrown. */
export function failedEnvelope(thrown: unknown, tool: string): ToolResultEnvelope {
  const { type, message } = failureOf(thrown);
  return errorEnvelope({ type, message: message || `${tool} failed` }, tool);
}

/** The envelope of a failure of a kind. */
export function refusal(kind: ToolErrorKind, message: string, tool: string): ToolResultEnvelope {
  return failedEnvelope(new ToolError(message, kind), tool);
}

/** The kind that a type of {@link failureOf} stands for, for those who speak the tool protocol. */
export function kindOfType(type: string | undefined): ToolErrorKind {
  const found = Object.entries(KIND_TYPES).find(
    ([kind, name]) => name === type && kind !== "unknown_tool",
  );
  return (found?.[0] as ToolErrorKind | undefined) ?? "tool_error";
}
