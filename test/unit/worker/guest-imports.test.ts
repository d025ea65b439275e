// The import object of a guest with hostile names; Node.

import { expect, test } from "vitest";
import { guestImports } from "../../../src/worker/guest-imports.ts";
import { NoBlockingCaller } from "../../../src/wire/no-blocking.ts";
import type { RunHooks } from "../../../src/wire/blocking-call.ts";

const text = (value: string): number[] => [value.length, ...new TextEncoder().encode(value)];

test("a memory imported from __proto__ lands in no prototype", () => {
  const entry = [1, ...text("__proto__"), ...text("polluted"), 2, 0, 1];
  const module = new WebAssembly.Module(
    new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, entry.length, ...entry]),
  );
  const memory = new WebAssembly.Memory({ initial: 1 });
  const caller = new NoBlockingCaller({} as RunHooks);
  const imports = guestImports(module, {}, memory, caller, () => {});
  expect("polluted" in {}).toBe(false);
  expect(new WebAssembly.Instance(module, imports)).toBeInstanceOf(WebAssembly.Instance);
});
