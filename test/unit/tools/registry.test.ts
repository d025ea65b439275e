// The registry: who owns which name, policies, hooks, checks, time and the record; Node.

import { describe, expect, test } from "vitest";
import { localTools, toolRegistry } from "../../../src/compose/tool-registry.ts";
import { contractTool, type ToolEntry } from "../../../src/tools/contract-tool.ts";
import type { ToolProvider } from "../../../src/tools/provider.ts";
import type { CallContext } from "../../../src/tools/registry-options.ts";
import { tool } from "../../../src/tools/tool.ts";
import { ToolDenied, ToolError } from "../../../src/tools/tool-error.ts";

const entry = (name: string, more: Partial<ToolEntry> = {}): ToolEntry => ({
  name,
  description: "",
  parameters: { type: "object" },
  ...more,
});

interface Spy extends ToolProvider {
  readonly seen: unknown[][];
  lists: number;
}

/** A provider that says who it is. */
function provider(
  name: string,
  tools: readonly (string | ToolEntry)[],
  more: Partial<ToolProvider> = {},
): Spy {
  const spy: Spy = {
    name,
    seen: [],
    lists: 0,
    listTools: async () => {
      spy.lists++;
      return tools.map((one) => (typeof one === "string" ? entry(one) : one));
    },
    callTool: async (...args) => {
      spy.seen.push(args);
      return { result: `${name}: ${args[0]}` };
    },
    ...more,
  };
  return spy;
}

const sum = tool({
  name: "sum",
  description: "Adds",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a + b,
});

describe("routing", () => {
  test("nobody is asked before the first list or call, and a call needs no list before", async () => {
    const one = provider("one", ["a"]);
    const registry = toolRegistry([one]);
    expect(one.lists).toBe(0);
    expect(await registry.callTool("a", {})).toEqual({
      status: "ok",
      result: "one: a",
      is_error: false,
      result_mode: "inline",
      execution_mode: "sync",
    });
    await registry.callTool("a", {});
    expect(one.lists).toBe(1);
  });

  test("an explicit claim beats a star, in either order", async () => {
    for (const order of [0, 1]) {
      const pair = [provider("star", ["a", "b"]), provider("named", ["a", "c"], { claims: ["a"] })];
      const registry = toolRegistry(order === 0 ? pair : pair.toReversed());
      expect((await registry.callTool("a", {})).result).toBe("named: a");
      expect((await registry.callTool("b", {})).result).toBe("star: b");
      const missed = await registry.callTool("c", {});
      expect(missed).toMatchObject({ type: "UnclaimedToolError", is_error: true, tool: "c" });
      expect(missed).not.toHaveProperty("result");
    }
  });

  test.each([
    ["two claims by name", ["x"], ["x"]],
    ["two stars", "*", "*"],
  ] as const)("%s on one name are a conflict that names both", async (_what, first, second) => {
    const registry = toolRegistry([
      provider("first", ["x"], { claims: first }),
      provider("second", ["x"], { claims: second }),
    ]);
    await expect(registry.listTools()).rejects.toMatchObject({
      code: "tool_conflict",
      data: { tool: "x", owners: ["first", "second"] },
    });
    expect(await registry.callTool("x", {})).toMatchObject({
      type: "ToolRouteConflictError",
      error: expect.stringMatching(/first.*second/),
    });
  });

  test("a name that was claimed twice is no conflict where a third owns it by name", async () => {
    const registry = toolRegistry([
      provider("a", ["x"]),
      provider("b", ["x"]),
      provider("c", ["x"], { claims: ["x"] }),
    ]);
    expect((await registry.callTool("x", {})).result).toBe("c: x");
  });

  test("the page's own tools take what is left", async () => {
    const local = localTools(sum, contractTool({ name: "web-search", execute: () => "local" }));
    const registry = toolRegistry([local, provider("remote", ["web-search"])]);
    expect((await registry.callTool("web-search", {})).result).toBe("remote: web-search");
    expect((await registry.callTool("sum", { a: 1, b: 2 })).result).toBe(3);
    expect((await registry.listTools()).map(({ name }) => name)).toEqual(["sum", "web-search"]);
  });

  describe("with claimLocal", () => {
    const made = (...names: string[]) =>
      localTools(...names.map((name) => contractTool({ name, execute: () => `page: ${name}` })));
    const remote = () => provider("remote", ["search"]);
    const claimLocal = true;

    test("names of the page that nobody claims are an error beside other providers", async () => {
      const registry = toolRegistry([made("a", "search", "b"), remote()], { claimLocal });
      await expect(registry.listTools()).rejects.toMatchObject({
        code: "unclaimed_tool",
        data: { provider: "local", tools: ["a", "b"] },
      });
      for (const name of ["a", "search"]) {
        const envelope = await registry.callTool(name, {});
        expect(envelope).toMatchObject({ is_error: true, type: "UnclaimedToolError", tool: name });
      }
    });

    test("claims by name or by star make them the page's", async () => {
      for (const claims of [["a"], "*"] as const) {
        const list = [{ provider: made("a", "search"), claims }, remote()];
        const registry = toolRegistry(list, { claimLocal });
        expect((await registry.callTool("a", {})).result).toBe("page: a");
        expect((await registry.callTool("search", {})).result).toBe("remote: search");
      }
    });

    test("what an agent talks to its person with needs no claim, and neither does a page alone", async () => {
      const talk = made("request_human_input", "inform_user", "search");
      const registry = toolRegistry([talk, remote()], { claimLocal });
      expect((await registry.callTool("inform_user", {})).result).toBe("page: inform_user");
      expect((await registry.callTool("search", {})).result).toBe("remote: search");
      const alone = toolRegistry([made("a"), made("b")], { claimLocal });
      expect((await alone.listTools()).map(({ name }) => name)).toEqual(["a", "b"]);
    });
  });

  test("two kinds of local tools with one name are a conflict", async () => {
    const registry = toolRegistry([localTools(sum), localTools(sum)]);
    await expect(registry.listTools()).rejects.toMatchObject({ code: "tool_conflict" });
  });

  test("a claimed tool that is not listed is an error that says so", async () => {
    const registry = toolRegistry([provider("p", ["a"], { claims: ["a", "gone"] })]);
    await expect(registry.listTools()).rejects.toMatchObject({
      code: "tool_unavailable",
      data: { tool: "gone", provider: "p" },
    });
    expect(await registry.callTool("a", {})).toMatchObject({
      type: "ExplicitToolUnavailableError",
    });
  });

  test("prefixes keep equal names apart, and each provider hears its own name", async () => {
    const [one, two] = [provider("one", ["x"]), provider("two", ["x"])];
    const registry = toolRegistry([
      { provider: one, prefix: "one_" },
      { provider: two, prefix: "two_", claims: ["x"] },
    ]);
    expect((await registry.listTools()).map(({ name }) => name)).toEqual(["one_x", "two_x"]);
    await registry.callTool("two_x", {});
    expect(two.seen[0]?.[0]).toBe("x");
  });

  test.each(["__proto__", "constructor", "toString", ""])(
    "the name %j is no tool by itself",
    async (name) => {
      const registry = toolRegistry([provider("p", ["a"])], { policy: { a: "allow" } });
      expect(await registry.callTool(name, {})).toMatchObject({ type: "UnclaimedToolError" });
      const own = toolRegistry([provider("p", [name || "x"])], { policy: {} });
      expect(await own.callTool(name || "x", {})).toMatchObject({ status: "ok" });
    },
  );
});

describe("a provider that fails", () => {
  const broken = () =>
    provider("down", [], { listTools: () => Promise.reject(new Error("no network")) });

  test("does not take the others down, and is named", async () => {
    const registry = toolRegistry([broken(), provider("up", ["a"])]);
    expect((await registry.listTools()).map(({ name }) => name)).toEqual(["a"]);
    expect(registry.problems).toMatchObject([
      { provider: "down", error: { code: "provider_failed" } },
    ]);
    expect((await registry.callTool("b", {})).error).toMatch(/down.*no network/);
  });

  test("does when it is asked to", async () => {
    const registry = toolRegistry([broken(), provider("up", ["a"])], { strict: true });
    await expect(registry.listTools()).rejects.toMatchObject({ code: "provider_failed" });
    expect(await registry.callTool("a", {})).toMatchObject({ is_error: true });
  });

  test("keeps the names that it claims, and is asked again", async () => {
    let down = true;
    const flaky = provider("flaky", ["a"], { claims: ["a"] });
    const listTools = flaky.listTools.bind(flaky);
    flaky.listTools = async () => (down ? Promise.reject(new Error("down")) : listTools());
    const registry = toolRegistry([provider("star", ["a"]), flaky]);
    expect(await registry.callTool("a", {})).toMatchObject({
      is_error: true,
      error: expect.stringMatching("flaky"),
    });
    down = false;
    expect((await registry.callTool("a", {})).result).toBe("flaky: a");
  });

  test.each([
    [
      "throws at once",
      () => {
        throw new TypeError("boom");
      },
      "TypeError",
      "boom",
    ],
    ["rejects", () => Promise.reject(new ToolError("not today")), "ToolError", "not today"],
    ["throws no error", () => Promise.reject("text"), "string", "text"], // oxlint-disable-line typescript/prefer-promise-reject-errors
    ["gives nothing", () => undefined, "ToolProtocolError", /no envelope/],
    ["gives a list", () => [1], "ToolProtocolError", /no envelope/],
  ])("whose call %s ends in an envelope", async (_what, callTool, type, error) => {
    const registry = toolRegistry([provider("p", ["a"], { callTool: callTool as never })]);
    expect(await registry.callTool("a", {})).toMatchObject({
      status: "error",
      is_error: true,
      type,
      error: typeof error === "string" ? error : expect.stringMatching(error),
      tool: "a",
    });
  });

  test("that lists nonsense keeps what makes sense", async () => {
    const odd = provider("odd", [], {
      listTools: () =>
        [
          null,
          {},
          { name: 5 },
          { name: "a" },
          entry("ok"),
          entry("ok"),
          { name: "bare", parameters: {} },
        ] as never,
    });
    const registry = toolRegistry([odd]);
    const listed = await registry.listTools();
    expect(listed.map(({ name, description }) => [name, description])).toEqual([
      ["ok", ""],
      ["bare", ""],
    ]);
    expect(registry.problems).toHaveLength(5);
  });
});

describe("options of a call", () => {
  test("reach only providers that declare them", async () => {
    const none = provider("none", ["a"]);
    const some = provider("some", ["b"], { callOptions: ["meta", "user"] });
    const all = provider("all", ["c"], { callOptions: "*" });
    const registry = toolRegistry([none, some, all]);
    const options = { meta: { m: 1 }, user: "ada", ctx: 5, requestState: "s", allowClaimed: true };
    for (const name of ["a", "b", "c"]) await registry.callTool(name, {}, options);
    expect(none.seen[0]?.[2]).toEqual({});
    expect(some.seen[0]?.[2]).toEqual({ meta: { m: 1 }, user: "ada" });
    expect(all.seen[0]?.[2]).toMatchObject(options);
  });

  test("a call ends in time and by its signal, whatever the provider does", async () => {
    const stuck = provider("stuck", ["a", entry("slow", { timeout_seconds: 0.05 })], {
      callTool: () => new Promise<never>(() => {}),
    });
    const registry = toolRegistry([stuck]);
    expect(await registry.callTool("a", {}, { timeoutMs: 20 })).toMatchObject({
      type: "ToolTimeout",
    });
    expect(await registry.callTool("slow", {})).toMatchObject({ type: "ToolTimeout" });
    const stop = new AbortController();
    const call = registry.callTool("a", {}, { signal: stop.signal });
    stop.abort();
    expect(await call).toMatchObject({ type: "ToolCancelled" });
    expect(await registry.callTool("a", {}, { signal: AbortSignal.abort() })).toMatchObject({
      type: "ToolCancelled",
    });
  });
});

describe("checks of arguments", () => {
  const parameters = {
    type: "object",
    properties: { q: { type: "string", pattern: "^a" } },
    required: ["q"],
  };

  test("happen before the provider is called, without coercion", async () => {
    const remote = provider("remote", [entry("find", { parameters })]);
    const registry = toolRegistry([remote]);
    for (const args of [{}, { q: 1 }, { q: "b" }, [], "text", null]) {
      expect(await registry.callTool("find", args)).toMatchObject({ type: "ToolArgumentError" });
    }
    expect(remote.seen).toEqual([]);
    expect(await registry.callTool("find", { q: "abc" })).toMatchObject({ status: "ok" });
    expect(remote.seen[0]?.[1]).toEqual({ q: "abc" });
  });

  test("are left to a provider that has them checked, unless wanted", async () => {
    const guest = provider("guest", [entry("find", { parameters })], { checksArguments: true });
    expect(await toolRegistry([guest]).callTool("find", {})).toMatchObject({ status: "ok" });
    const strict = toolRegistry([{ provider: guest, validateArguments: true }]);
    expect(await strict.callTool("find", {})).toMatchObject({ type: "ToolArgumentError" });
  });

  test("a schema that cannot be used fails the call and nothing else", async () => {
    const remote = provider("remote", [
      entry("bad", { parameters: { $ref: "https://example.org/x" } }),
      "good",
    ]);
    const registry = toolRegistry([remote]);
    expect(await registry.callTool("bad", {})).toMatchObject({
      is_error: true,
      error: expect.stringMatching(/fetched/),
    });
    expect(await registry.callTool("good", {})).toMatchObject({ status: "ok" });
  });

  test("may be made by a validator of the caller's", async () => {
    const validator = {
      compile: () => (value: unknown) =>
        Object.keys(value as object).length > 0 ? "no keys" : undefined,
    };
    const registry = toolRegistry(
      [provider("p", ["a"]), localTools(contractTool({ name: "b", execute: () => 1 }))],
      { validator },
    );
    expect(await registry.callTool("a", { x: 1 })).toMatchObject({ error: "no keys" });
    expect(await registry.callTool("b", { x: 1 })).toMatchObject({ error: "no keys" });
    expect(await registry.callTool("b", {})).toMatchObject({ result: 1 });
  });
});

describe("governance", () => {
  const seen = (): [CallContext[], (call: CallContext) => undefined] => {
    const calls: CallContext[] = [];
    return [calls, (call) => void calls.push(call)];
  };

  test("preToolCall sees the call, changes it, or denies it in every way", async () => {
    const target = provider("p", [
      entry("a", { parameters: { type: "object", properties: { n: { type: "number" } } } }),
    ]);
    const [calls, note] = seen();
    const passing = toolRegistry([target], { preToolCall: note });
    await passing.callTool("a", { n: 1 }, { user: "ada" });
    expect(calls[0]).toMatchObject({
      name: "a",
      arguments: { n: 1 },
      provider: "p",
      options: { user: "ada" },
    });
    const changing = toolRegistry([target], { preToolCall: async () => ({ arguments: { n: 2 } }) });
    await changing.callTool("a", { n: 1 });
    expect(target.seen.at(-1)?.[1]).toEqual({ n: 2 });
    expect(changing.calls[0]?.arguments).toEqual({ n: 2 });
    const breaking = toolRegistry([target], { preToolCall: () => ({ arguments: { n: "x" } }) });
    expect(await breaking.callTool("a", { n: 1 })).toMatchObject({ type: "ToolArgumentError" });
    const before = target.seen.length;
    for (const preToolCall of [
      () => false,
      () => ({ deny: "not now" }),
      () => {
        throw new ToolDenied("not now");
      },
      () => {
        throw new Error("secret path");
      },
      () => Promise.reject(new Error("secret path")),
    ]) {
      const result = await toolRegistry([target], { preToolCall }).callTool("a", { n: 1 });
      expect(result).toMatchObject({ type: "ToolDenied", is_error: true });
      expect(JSON.stringify(result)).not.toMatch("secret");
    }
    expect(target.seen).toHaveLength(before);
  });

  test("postToolCall redacts, and holds back what it fails on; it sees failures too", async () => {
    const target = provider("p", ["a"], { callTool: () => ({ result: { token: "s3cret" } }) });
    const redact = toolRegistry([target], {
      postToolCall: (_call, result) => ({ ...result, result: "redacted" }),
    });
    expect((await redact.callTool("a", {})).result).toBe("redacted");
    for (const postToolCall of [
      () => {
        throw new Error("x");
      },
      () => "text",
      () => false,
    ]) {
      const result = await toolRegistry([target], { postToolCall }).callTool("a", {});
      expect(result.type).toBe("ToolDenied");
      expect(JSON.stringify(result)).not.toMatch("s3cret");
    }
    const failures: unknown[] = [];
    const watching = toolRegistry(
      [provider("p", ["a"], { callTool: () => Promise.reject(new Error("e")) })],
      {
        postToolCall: (_call, result) => void failures.push(result.error),
      },
    );
    await watching.callTool("a", {});
    expect(failures).toEqual(["e"]);
  });

  test("policies: by name, by provider, for the rest, by function; ask needs a yes", async () => {
    const two = [
      provider("p", ["a", "b"]),
      { provider: provider("q", ["c", "d"]), policy: "deny" as const },
    ];
    const asked: unknown[] = [];
    const registry = toolRegistry(two, {
      policy: { a: "ask", d: "allow", "*": "allow" },
      ask: async (call) => {
        asked.push(call.arguments);
        return asked.length > 1;
      },
    });
    expect(await registry.callTool("a", { n: 1 })).toMatchObject({ type: "ToolDenied" });
    expect(await registry.callTool("a", { n: 2 })).toMatchObject({ status: "ok" });
    expect(asked).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await registry.callTool("b", {})).toMatchObject({ status: "ok" });
    expect(await registry.callTool("c", {})).toMatchObject({ type: "ToolDenied" });
    expect(await registry.callTool("d", {})).toMatchObject({ status: "ok" });
    const silent = toolRegistry([provider("p", ["a"])], { policy: { "*": "ask" } });
    expect(await silent.callTool("a", {})).toMatchObject({ type: "ToolDenied" });
    const failing = toolRegistry([provider("p", ["a"])], { policy: () => "whatever" as never });
    expect(await failing.callTool("a", {})).toMatchObject({ type: "ToolDenied" });
  });

  test("a person who thinks can be left", async () => {
    const registry = toolRegistry([provider("p", ["a"])], {
      policy: { a: "ask" },
      ask: () => new Promise(() => {}),
    });
    const stop = new AbortController();
    const call = registry.callTool("a", {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    expect(await call).toMatchObject({ type: "ToolCancelled" });
  });

  test("the record says what happened, and is told as it happens", async () => {
    const told: string[] = [];
    const registry = toolRegistry([localTools(sum)], {
      policy: { "*": "allow" },
      onCall: ({ name, status }, phase) => {
        told.push(`${phase} ${name} ${status}`);
        throw new Error("listener");
      },
    });
    await registry.callTool("sum", { a: 1, b: 2 });
    await registry.callTool("sum", { a: "1", b: 2 });
    await registry.callTool("none", {});
    expect(registry.calls).toMatchObject([
      { name: "sum", provider: "local", status: "ok", arguments: { a: 1, b: 2 } },
      { name: "sum", status: "error", error: { type: "ToolArgumentError" } },
      { name: "none", status: "error", error: { type: "UnclaimedToolError" } },
    ]);
    expect(registry.calls.every(({ durationMs }) => durationMs !== undefined)).toBe(true);
    expect(told).toEqual([
      "start sum running",
      "end sum ok",
      "start sum running",
      "end sum error",
      "start none running",
      "end none error",
    ]);
  });
});

describe("a registry", () => {
  test("is a provider: registries hold registries", async () => {
    const inner = toolRegistry([localTools(sum)]);
    const outer = toolRegistry([{ provider: inner, name: "inner", prefix: "in_" }]);
    expect((await outer.callTool("in_sum", { a: 1, b: 2 })).result).toBe(3);
    expect(await outer.callTool("in_sum", { a: 1 })).toMatchObject({
      type: "ToolArgumentError",
      tool: "in_sum",
    });
  });

  test("invalidate and close reach every provider", async () => {
    const done: string[] = [];
    const target = provider("p", ["a"], {
      invalidate: () => void done.push("invalidate"),
      close: async () => void done.push("close"),
    });
    const registry = toolRegistry([target, provider("q", ["b"])]);
    await registry.callTool("a", {});
    registry.invalidate();
    await registry.callTool("a", {});
    expect(target.lists).toBe(2);
    await registry.close();
    expect(done).toEqual(["invalidate", "close"]);
  });

  test("a provider registered later is found", async () => {
    const registry = toolRegistry([]);
    expect(await registry.callTool("a", {})).toMatchObject({ type: "UnclaimedToolError" });
    registry.register(provider("late", ["a"]));
    expect(await registry.callTool("a", {})).toMatchObject({ result: "late: a" });
  });

  test.each([
    [[{}], {}],
    [[provider("p", [])], { policy: { a: "maybe" } }],
    [[provider("p", [])], { preToolCall: 5 }],
    [[provider("p", [])], { timeoutMs: 0 }],
    [[{ provider: provider("p", []), claims: [5] }], {}],
    [[{ provider: provider("p", []), policy: "never" }], {}],
  ])("says at once what is wrong with its options (%#)", (providers, options) => {
    expect(() => toolRegistry(providers as never, options as never)).toThrow(
      expect.objectContaining({ code: "bad_option" }),
    );
  });
});
