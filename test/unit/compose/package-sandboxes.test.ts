// One sandbox for each bound of memory, at most four, none closed under a call; and what discovery remembers; Node.

import { describe, expect, test } from "vitest";
import { discoveredOnce } from "../../../src/compose/discovered.ts";
import { PackageSandboxes } from "../../../src/compose/package-sandboxes.ts";
import type { PackageTool } from "../../../src/package/tool-listing.ts";
import type { Sandbox } from "../../../src/page/sandbox.ts";
import type { SandboxOptions } from "../../../src/page/sandbox-options.ts";

/** Makes sandboxes that do nothing but say what became of them. */
function maker() {
  const made: number[] = [];
  const closed: number[] = [];
  const create = async ({ memoryBytes }: SandboxOptions): Promise<Sandbox> => {
    if (memoryBytes === 13) throw new Error("thirteen");
    made.push(memoryBytes as number);
    return { close: () => closed.push(memoryBytes as number) } as unknown as Sandbox;
  };
  const sandboxes = new PackageSandboxes(create, { module: new ArrayBuffer(8) });
  return { made, closed, sandboxes };
}

const nothing = async (): Promise<void> => {};

describe("PackageSandboxes", () => {
  test("a bound is compiled once, 256 MiB by default", async () => {
    const { made, sandboxes } = maker();
    await Promise.all([sandboxes.use(undefined, nothing), sandboxes.use(2 ** 28, nothing)]);
    await sandboxes.use(1, nothing);
    await sandboxes.use(1, nothing);
    expect(made).toEqual([2 ** 28, 1]);
  });

  test("a fifth takes the place of the one that was not asked for longest, once its calls have ended", async () => {
    const { closed, sandboxes } = maker();
    let end!: () => void;
    const busy = sandboxes.use(1, () => new Promise<void>((resolve) => (end = resolve)));
    for (const bound of [2, 3, 4, 5, 6]) await sandboxes.use(bound, nothing);
    await Promise.resolve();
    expect(closed).toEqual([2]);
    end();
    await busy;
    await Promise.resolve();
    expect(closed).toEqual([2, 1]);
  });

  test("one that cannot be made is not remembered", async () => {
    const { made, sandboxes } = maker();
    await expect(sandboxes.use(13, nothing)).rejects.toThrow("thirteen");
    await expect(sandboxes.use(13, nothing)).rejects.toThrow("thirteen");
    expect(made).toEqual([]);
  });

  test("close ends all, and refuses what comes after", async () => {
    const { closed, sandboxes } = maker();
    await sandboxes.use(1, nothing);
    await sandboxes.use(2, nothing);
    sandboxes.close();
    await Promise.resolve();
    expect(closed).toEqual([1, 2]);
    await expect(sandboxes.use(1, nothing)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("discoveredOnce", () => {
  const tools: readonly PackageTool[] = [];

  test("the same file is asked once, also by two at once", async () => {
    let asked = 0;
    const ask = async () => (asked++, tools);
    await Promise.all([discoveredOnce("a", ask), discoveredOnce("a", ask)]);
    await discoveredOnce("a", ask);
    expect(asked).toBe(1);
    await discoveredOnce(undefined, ask);
    await discoveredOnce(undefined, ask);
    expect(asked).toBe(3);
  });

  test("what failed for one is asked again by the other, and by the next", async () => {
    const failing = discoveredOnce("b", async () => {
      throw new Error("aborted");
    });
    let asked = 0;
    const ask = async () => (asked++, tools);
    const other = discoveredOnce("b", ask);
    await expect(failing).rejects.toThrow("aborted");
    expect(await other).toBe(tools);
    expect(await discoveredOnce("b", ask)).toBe(tools);
    expect(asked).toBe(1);
  });

  test("65 files: the one that was not loaded longest is forgotten", async () => {
    const asked: string[] = [];
    const load = (name: string) => discoveredOnce(name, async () => (asked.push(name), tools));
    for (let i = 0; i < 64; i++) await load(`c${i}`);
    await load("c0");
    await load("c64");
    asked.length = 0;
    await load("c0");
    await load("c1");
    expect(asked).toEqual(["c1"]);
  });
});
