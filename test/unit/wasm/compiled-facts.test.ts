// Facts of modules that are given compiled; Node.
import { expect, test } from "vitest";
import { factsOfModule } from "../../../src/wasm/compiled-facts.ts";
import { wat } from "./wat.ts";

const factsOf = (text: string, names = false) =>
  factsOfModule(new WebAssembly.Module(wat(text, names)));

test("imports and exports, without what engines do not tell", () => {
  const facts = factsOf(
    `(module (import "host" "call" (func)) (memory (export "memory") 1 5) (func (export "_start")))`,
  );
  expect(facts.imports).toEqual([{ module: "host", name: "call", kind: "function" }]);
  expect(facts.exports).toEqual([
    { name: "memory", kind: "memory" },
    { name: "_start", kind: "function" },
  ]);
  expect(facts.memory).toMatchObject({ imported: false });
  expect(facts).toMatchObject({
    byteLength: 0,
    importedFunctionCount: 1,
    mutableGlobalsExported: false,
    features: [],
  });
  expect(facts.bodies).toBeUndefined();
});

test("an imported memory, no memory, names", () => {
  expect(
    factsOf(`(module (import "env" "memory" (memory 1)) (export "memory" (memory 0)))`).memory,
  ).toMatchObject({ imported: true });
  expect(factsOf(`(module)`).memory).toBeUndefined();
  expect(factsOf(`(module (func $f))`, true).hasNameSection).toBe(true);
  expect(factsOf(`(module (func $f))`).hasNameSection).toBe(false);
});

test("no maximum is claimed unless the engine reflects types", () => {
  const { memory } = factsOf(`(module (memory (export "memory") 1))`);
  expect(memory).not.toHaveProperty("maximum");
});
