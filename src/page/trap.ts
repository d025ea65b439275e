// Tells what a guest's end by exception was: the trap's kind in a word, and a sentence that names the function; page and Node.

import { trapSite } from "../wasm/trap-site.ts";
import type { Thrown } from "../wire/messages.ts";

/** A trap as a result reports it. */
export interface Trap {
  /** One of the words below, or `unknown`. */
  readonly reason: string;
  readonly message: string;
}

/** Engines word their traps differently; each pattern covers V8, SpiderMonkey and JavaScriptCore. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/call stack|recursion|stack overflow/i, "stack_overflow"],
  [/unreachable/i, "unreachable"],
  [/table index|null function|undefined element|uninitialized element/i, "bad_indirect_call"],
  [/signature|indirect call|call_indirect/i, "bad_indirect_call"],
  [/divide by zero|division by zero/i, "divide_by_zero"],
  [/unrepresentable|overflow|invalid conversion|\btrunc\b/i, "integer_overflow"],
  [/table/i, "table_out_of_bounds"],
  [/memory|out of bounds|out-of-bounds/i, "memory_out_of_bounds"],
];

/** Describes what a guest threw: a RuntimeError of its own, a RangeError of the engine, or an exception. */
export function describeTrap({ message, stack }: Thrown): Trap {
  if (message === undefined) {
    return {
      reason: "uncaught_exception",
      message: "the guest threw an exception it did not catch",
    };
  }
  if (stack === undefined) return { reason: "unknown", message };
  const reason = REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? "unknown";
  // JavaScriptCore adds the expression of ours that called the guest.
  const what = message.replace(/ \(evaluating '[^]*'\)$/, "");
  const where = placeOf(stack);
  return { reason, message: where ? `${what} in ${where}` : what };
}

/** The innermost frame of the guest: its name where the module has names, else its index. */
function placeOf(stack: string): string | undefined {
  const site = trapSite(stack);
  if (!site) return undefined;
  const { functionName, functionIndex, offset } = site;
  const parts = [
    functionIndex === undefined ? [] : [`function ${functionIndex}`],
    offset === undefined ? [] : [`offset 0x${offset.toString(16)}`],
  ].flat();
  const place = parts.join(", ");
  return functionName ? `${functionName}${place ? ` (${place})` : ""}` : place;
}
