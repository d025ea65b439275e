// What a tool or a gate throws to say something to the guest; page, worker and Node.

import { SandboxError } from "../errors.ts";

/** The kinds of failure of tool protocol v1. */
export type ToolErrorKind =
  | "protocol"
  | "unknown_tool"
  | "invalid_arguments"
  | "denied"
  | "tool_error"
  | "timeout"
  | "cancelled"
  | "too_large"
  | "budget_exceeded";

/** All kinds, in the protocol's order. */
export const TOOL_ERROR_KINDS: readonly ToolErrorKind[] = [
  "protocol",
  "unknown_tool",
  "invalid_arguments",
  "denied",
  "tool_error",
  "timeout",
  "cancelled",
  "too_large",
  "budget_exceeded",
];

// A page may hold two copies of the library (a bundle and a CDN): the mark is found across them, instanceof is not.
const KIND = Symbol.for("sallyport.ToolError.kind");

/**
 * Thrown by a tool (or a gate) to fail with a message that the guest is meant to read. Nothing else that a tool throws
 * crosses: the guest gets `<name> failed (internal error)`, the page's record keeps the rest.
 *
 * @param message At most 4,096 characters reach the guest.
 * @param kind `tool_error` unless the tool knows better, such as `invalid_arguments`.
 * @example
 * throw new ToolError("no region has that code");
 */
export class ToolError extends Error {
  override readonly name: string = "ToolError";
  readonly kind: ToolErrorKind;

  constructor(message = "", kind: ToolErrorKind = "tool_error") {
    super(message);
    if (!TOOL_ERROR_KINDS.includes(kind)) {
      throw new SandboxError(
        "bad_option",
        `a ToolError's kind is one of ${TOOL_ERROR_KINDS.join(", ")}`,
      );
    }
    this.kind = kind;
    Object.defineProperty(this, KIND, { value: kind });
  }
}

/**
 * Thrown by a gate or a tool to refuse a call. In a Python guest it arrives as `ToolDenied`, a `PermissionError`.
 *
 * @example
 * const gate = async (call) => { if (!(await ask(call))) throw new ToolDenied("the user said no"); };
 */
export class ToolDenied extends ToolError {
  override readonly name = "ToolDenied";

  constructor(message = "") {
    super(message, "denied");
  }
}

/** The kind and message of a ToolError, also one of another copy of the library; undefined for anything else. */
export function readToolError(
  thrown: unknown,
): { kind: ToolErrorKind; message: string } | undefined {
  try {
    if (typeof thrown !== "object" || thrown === null || !(KIND in thrown)) return undefined;
    return {
      kind: thrown[KIND] as ToolErrorKind,
      message: String((thrown as { message?: unknown }).message),
    };
  } catch {
    return undefined;
  }
}
