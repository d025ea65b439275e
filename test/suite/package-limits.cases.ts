// Every limit of ABI 1 at its edge, n and n + 1, with a guest that keeps or breaks it; page and Node.

import { assert } from "chai";
import type { FunctionPackage } from "../../src/package.ts";
import { cases, rejection, type Case, type SuiteEnv } from "./case.ts";

const KIB = 1_024;
const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

/** Loads the package that breaks any rule with files that tell it what to answer. */
async function load(env: SuiteEnv, assets: Record<string, string>): Promise<FunctionPackage> {
  const module = await env.guestBytes("packages/misbehave");
  const loaded = await env.packages.loadPackage(await env.packages.packPackage({ module, assets }));
  loaded.close();
  return loaded;
}

const offering = (env: SuiteEnv, tools: readonly object[]): Promise<FunctionPackage> =>
  load(env, { tools: JSON.stringify({ tools }) });

interface ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
}

const tool = (more: Partial<Record<keyof ToolEntry, unknown>> = {}): ToolEntry =>
  ({ name: "a", description: "", inputSchema: { type: "object" }, ...more }) as ToolEntry;

/** A schema whose JSON has so many bytes. */
function schema(bytes: number): object {
  const empty = bytesOf({ type: "object", title: "" });
  return { type: "object", title: "x".repeat(bytes - empty) };
}

/** Five tools whose JSON has so many bytes together. */
function listing(bytes: number): ToolEntry[] {
  const names = ["a", "b", "c", "d", "e"];
  const tools = names.map((name) => tool({ name, inputSchema: schema(50_000) }));
  const left = bytes - bytesOf(tools);
  return [...tools.slice(1), tool({ name: "a", inputSchema: schema(50_000 + left) })];
}

async function passes(env: SuiteEnv, tools: readonly object[]): Promise<void> {
  assert.lengthOf((await offering(env, tools)).tools, tools.length);
}

async function isRefused(env: SuiteEnv, tools: readonly object[], data: object): Promise<void> {
  const error = await rejection(offering(env, tools));
  assert.equal(error.code, "bad_package");
  assert.deepEqual(error.data, data);
}

/** The text of the answer; undefined for one without text. */
type Act = (how: string, args?: object) => Promise<string | undefined>;

async function misbehaving(env: SuiteEnv, work: (act: Act) => Promise<void>): Promise<void> {
  const loaded = await env.packages.loadPackage(await env.guestBytes("packages/misbehave"));
  try {
    await work(async (how, args = {}) => {
      const { content } = await loaded.call("act", { how, ...args });
      return content[0]?.["text"] as string | undefined;
    });
  } finally {
    loaded.close();
  }
}

async function crashOf(
  env: SuiteEnv,
  call: Promise<unknown>,
): Promise<{ reason: string; stderr: string }> {
  const error = await rejection(call);
  assert.instanceOf(error, env.packages.PackageCrash, String(error));
  return error;
}

/** How a guest blocks makes no difference to any of these. */
const once: Pick<Case, "once" | "timeoutMs"> = { once: true, timeoutMs: 40_000 };

export default cases("package limit", {
  "tools: 1 to 64": [
    async (env) => {
      const many = (count: number) =>
        Array.from({ length: count }, (_, index) => tool({ name: `t${index}` }));
      await passes(env, many(1));
      await passes(env, many(64));
      await isRefused(env, many(0), { field: "tools", limit: 1 });
      await isRefused(env, many(65), { field: "tools", limit: 64 });
      const twice = [tool(), tool({ name: "b" }), tool()];
      await isRefused(env, twice, { tool: "a", field: "name", limit: "unique" });
    },
    once,
  ],

  "name: 1 to 64 of a–z, 0–9, _ and -": [
    async (env) => {
      await passes(
        env,
        Array.from("abcdefghijklmnopqrstuvwxyz0123456789_-").map((name) => tool({ name })),
      );
      await passes(env, [tool({ name: "n".repeat(64) })]);
      for (const name of ["n".repeat(65), "", "A", "a b", "a.b", "a/b", "ä", "a\n", 7, null]) {
        await isRefused(env, [tool({ name })], { tool: 1, field: "name", limit: 64 });
      }
    },
    once,
  ],

  "description: 1,024 characters, of any width": [
    async (env) => {
      const limit = { tool: "a", field: "description", limit: 1_024 };
      for (const character of ["x", "ü", "😀"]) {
        await passes(env, [tool({ description: character.repeat(1_024) })]);
        await isRefused(env, [tool({ description: character.repeat(1_025) })], limit);
      }
    },
    once,
  ],

  "inputSchema and outputSchema: 64 KiB each": [
    async (env) => {
      for (const field of ["inputSchema", "outputSchema"] as const) {
        await passes(env, [tool({ [field]: schema(64 * KIB) })]);
        const data = { tool: "a", field, limit: 64 * KIB };
        await isRefused(env, [tool({ [field]: schema(64 * KIB + 1) })], data);
      }
      const data = { tool: "a", field: "inputSchema", limit: "object" };
      for (const inputSchema of [{}, { type: "array" }, { type: ["object"] }, [], true, null]) {
        await isRefused(env, [tool({ inputSchema })], data);
      }
    },
    once,
  ],

  "all tools together: 256 KiB": [
    async (env) => {
      await passes(env, listing(256 * KIB));
      await isRefused(env, listing(256 * KIB + 1), { field: "tools", limit: 256 * KIB });
    },
    once,
  ],

  "pages: 16": [
    async (env) => {
      if (env.transport === "suspending") return;
      const { tools } = await load(env, { how: "list pages 16" });
      assert.deepEqual([tools.length, tools.at(-1)!.name], [16, "t16"]);
      const error = await rejection(load(env, { how: "list pages 17" }));
      assert.equal(error.code, "bad_package");
      assert.deepEqual(error.data, { field: "nextCursor", limit: 16 });
    },
    once,
  ],

  "discovery: 10 seconds, for both answers together": [
    async (env) => {
      const begin = performance.now();
      const early = load(env, { how: "list wait 9000" });
      const late = rejection(load(env, { how: "list wait 11000" })).then((error) => {
        assert.closeTo(performance.now() - begin, 10_250, 1_000);
        return error as unknown as { reason: string };
      });
      assert.lengthOf((await early).tools, 1);
      assert.equal((await late).reason, "timeout");
    },
    once,
  ],

  "exit: within a second of the end of stdin": [
    async (env) =>
      misbehaving(env, async (act) => {
        const late = crashOf(env, act("linger", { n: 1_200 }));
        assert.equal(await act("linger", { n: 900 }), "and stay");
        assert.equal((await late).reason, "late_exit");
      }),
    once,
  ],

  "stdout: 1 MiB": [
    async (env) =>
      misbehaving(env, async (act) => {
        assert.isUndefined(await act("sized", { n: KIB * KIB }));
        const { reason } = await crashOf(env, act("sized", { n: KIB * KIB + 1 }));
        assert.equal(reason, "stdout_limit");
      }),
    once,
  ],

  "stderr in a crash: the last 4 KiB": [
    async (env) =>
      misbehaving(env, async (act) => {
        for (const [written, kept] of [
          [4_095, 4_095],
          [4_096, 4_096],
          [4_097, 4_096],
        ] as const) {
          const args = { n: written - 3, text: "end" };
          const { stderr } = await crashOf(env, act("stderr", args));
          assert.equal(stderr, `${" ".repeat(kept - 3)}end`);
        }
      }),
    once,
  ],

  "writes: 1 GiB a call, rewriting included, then EDQUOT": [
    async (env) =>
      misbehaving(env, async (act) => {
        const path = "/volume/tmp/x";
        assert.equal(await act("rewrite", { path, n: 1_024 }), "1024 0");
        assert.equal(await act("rewrite", { path, n: 1_024, text: "x" }), "1024 19");
        assert.equal(await act("rewrite", { path, n: 1_023, text: "x" }), "1023 0");
      }),
    { ...once, timeoutMs: 60_000 },
  ],
});
