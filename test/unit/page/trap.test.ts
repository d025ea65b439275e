// Traps in the words of three engines; Node.

import { expect, test } from "vitest";
import { describeTrap } from "../../../src/page/trap.ts";

// As V8, SpiderMonkey and JavaScriptCore word them.
test.for<[reason: string, ...messages: string[]]>([
  ["unreachable", "unreachable", "unreachable executed", "Unreachable code should not be executed"],
  [
    "stack_overflow",
    "Maximum call stack size exceeded",
    "too much recursion",
    "Maximum call stack size exceeded.",
  ],
  [
    "bad_indirect_call",
    "null function or function signature mismatch",
    "indirect call to null",
    "indirect call signature mismatch",
    "call_indirect to a null table entry",
    "call_indirect to a signature that does not match",
    "Out of bounds call_indirect",
    "table index is out of bounds",
  ],
  ["divide_by_zero", "divide by zero", "integer divide by zero", "Division by zero"],
  [
    "integer_overflow",
    "float unrepresentable in integer range",
    "integer overflow",
    "Out of bounds trunc operation",
  ],
  [
    "memory_out_of_bounds",
    "memory access out of bounds",
    "index out of bounds",
    "Out of bounds memory access",
  ],
])("%s", ([reason, ...messages]) => {
  for (const message of messages) {
    expect(describeTrap({ message, stack: "" })).toEqual({ reason, message });
  }
});

test("the library's own expression, which JavaScriptCore quotes, is left out", () => {
  const message = "Division by zero (evaluating 's(o)')";
  expect(describeTrap({ message, stack: "half@<?>:wasm-function[3]" })).toEqual({
    reason: "divide_by_zero",
    message: "Division by zero in half (function 3)",
  });
});
