// ToolError and ToolDenied: kinds, and how the door knows them; Node.

import { expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import {
  readToolError,
  TOOL_ERROR_KINDS,
  ToolDenied,
  ToolError,
} from "../../../src/tools/tool-error.ts";

test("have a kind and a name", () => {
  const error = new ToolError("closed");
  expect([error.name, error.kind, error.message]).toEqual(["ToolError", "tool_error", "closed"]);
  const denied = new ToolDenied("no");
  expect([denied.name, denied.kind, denied.message]).toEqual(["ToolDenied", "denied", "no"]);
  expect(denied).toBeInstanceOf(ToolError);
  expect(denied).toBeInstanceOf(Error);
});

test("take any of the nine kinds and no other", () => {
  expect(TOOL_ERROR_KINDS).toHaveLength(9);
  for (const kind of TOOL_ERROR_KINDS) expect(new ToolError("", kind).kind).toBe(kind);
  expect(() => new ToolError("", "oops" as never)).toThrow(SandboxError);
});

test("are read, also from another copy of the library, and nothing else is", () => {
  expect(readToolError(new ToolDenied("no"))).toEqual({ kind: "denied", message: "no" });
  class Mine extends ToolError {}
  expect(readToolError(new Mine("x", "timeout"))).toEqual({ kind: "timeout", message: "x" });
  const copy = Object.assign(new Error("y"), {
    [Symbol.for("sallyport.ToolError.kind")]: "denied",
  });
  expect(readToolError(copy)).toEqual({ kind: "denied", message: "y" });
  for (const other of [new Error("x"), { kind: "denied", message: "x" }, "x", null, undefined]) {
    expect(readToolError(other)).toBeUndefined();
  }
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(readToolError(proxy)).toBeUndefined();
});
