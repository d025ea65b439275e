// 2,000 seeded mutations of valid modules: typed errors only, one verdict by every way, nothing refused that compiles; Node.
import { expect, test } from "vitest";
import { inspectModule } from "../../../src/package/inspect-module.ts";
import { boundModule } from "../../../src/wasm/bound-module.ts";
import { CodeWalker } from "../../../src/wasm/code-walker.ts";
import { type DeepWalk, WALK_ALL } from "../../../src/wasm/deep-walk.ts";
import type { ModuleFacts } from "../../../src/wasm/module-facts.ts";
import { ModuleWalker } from "../../../src/wasm/module-walker.ts";
import type { WalkLimits } from "../../../src/wasm/section-contents.ts";
import { mutate, randomOf, sampleModules } from "./mutate.ts";
import { errorOf } from "./wat.ts";

/** FUZZ_ROUNDS asks for more. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 2_000);
const MEMORY = 64 * 2 ** 20;

/** As where WebAssembly may not compile. */
const WITHOUT_SCANNER: DeepWalk = {
  ...WALK_ALL,
  codeWalker: (shape, sectionEnd, onMalformed) =>
    new CodeWalker(shape, sectionEnd, undefined, onMalformed),
};

/** Everything that a walk finds, with the bytes in pieces of at most `size`. */
function verdict(bytes: Uint8Array, size: number, limits: Partial<WalkLimits>): unknown {
  const problems: unknown[] = [];
  const walker = new ModuleWalker(
    {
      memoryBytes: "declared",
      deep: WALK_ALL,
      onMalformed: ({ code, message, data }) => problems.push([code, message, data]),
      ...limits,
    },
    () => {},
  );
  let facts: ModuleFacts | undefined;
  const ended = errorOf(() => {
    for (let at = 0; at < bytes.length; at += size) walker.push(bytes.subarray(at, at + size));
    facts = walker.end();
  });
  // How far a body is read that is broken anyway is not told apart: features in its rest may be listed or not.
  const features = facts?.features.filter(({ standard }) => problems.length === 0 || !standard);
  return { problems, facts: { ...facts, features }, code: ended.code, data: ended.data };
}

const samples = sampleModules();

test("the samples are modules that engines take", () => {
  const taken = samples.filter((bytes) => WebAssembly.validate(bytes));
  expect(taken.length).toBeGreaterThanOrEqual(samples.length - 1);
});

test.each([1, 2, 3, 4])("mutations of seed %i", { timeout: 60_000 }, async (seed) => {
  const random = randomOf(seed);
  for (let round = 0; round < ROUNDS / 4; round++) {
    const sample = samples[Math.floor(random() * samples.length)] as Uint8Array;
    const bytes = mutate(sample, random);
    const started = performance.now();
    const where = `seed ${seed} round ${round}`;

    const whole = verdict(bytes, bytes.length, {});
    expect(
      verdict(bytes, bytes.length, { deep: WITHOUT_SCANNER }),
      `${where}: without the scanner`,
    ).toEqual(whole);
    const size = 1 + Math.floor(random() * 100);
    expect(verdict(bytes, size, {}), `${where}: in pieces of ${size}`).toEqual(whole);
    const { problems } = await inspectModule(bytes);

    const bounded = errorOf(() => boundModule(bytes, { memoryBytes: MEMORY }));
    expect(
      ["none", "not_wasm", "component", "truncated", "malformed", "too_large"],
      where,
    ).toContain(bounded.code);
    if (WebAssembly.validate(bytes)) {
      expect(
        problems.filter(({ code }) => /malformed|truncated|not_wasm/.test(code)),
        `${where}: it compiles`,
      ).toEqual([]);
      if (bounded.code === "none") {
        expect(
          WebAssembly.validate(boundModule(bytes, { memoryBytes: MEMORY }).bytes),
          `${where}: bounded`,
        ).toBe(true);
      }
    }
    expect(performance.now() - started, where).toBeLessThan(1_000);
  }
});
