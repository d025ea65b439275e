// registerWebMCP with a model context that behaves like each of the drafts; Node.

import { describe, expect, test } from "vitest";
import {
  type ModelContext,
  registerWebMCP,
  type WebMcpTool,
} from "../../../src/agents/register-webmcp.ts";
import { localTools, toolRegistry } from "../../../src/compose/tool-registry.ts";
import { contractTool } from "../../../src/tools/contract-tool.ts";

/** A browser's model context: names are unique, and a tool goes by its signal, its handle or its name. */
class FakeContext implements ModelContext {
  readonly tools = new Map<string, WebMcpTool>();
  readonly way: "signal" | "handle" | "name";

  constructor(way: "signal" | "handle" | "name") {
    this.way = way;
    if (way === "name") this.unregisterTool = (name: string) => void this.tools.delete(name);
  }

  unregisterTool?: (name: string) => void;

  registerTool(tool: WebMcpTool, options?: { readonly signal: AbortSignal }): unknown {
    if (this.tools.has(tool.name)) throw new TypeError(`${tool.name} is taken`);
    this.tools.set(tool.name, tool);
    if (this.way === "signal")
      options?.signal.addEventListener("abort", () => this.tools.delete(tool.name));
    return this.way === "handle"
      ? { unregister: () => void this.tools.delete(tool.name) }
      : undefined;
  }
}

let stopped = false;
const registryOf = () => {
  const guest = {
    name: "guest",
    checksArguments: true,
    listTools: () => [
      { name: "unchecked", description: "", parameters: { type: "object", required: ["n"] } },
    ],
    callTool: (_name: string, args: unknown) => ({ result: args }),
  };
  const find = contractTool({
    name: "find it",
    title: "Find",
    readOnly: true,
    description: "Finds",
    parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    execute: ({ q }) => ({ found: q as string }),
  });
  const wait = contractTool({
    name: "wait",
    execute: (_args, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => (stopped = true))),
  });
  return toolRegistry([localTools(find, wait), guest]);
};

describe("registerWebMCP", () => {
  test.each(["signal", "handle", "name"] as const)(
    "registers tools and takes them back by %s",
    async (way) => {
      const modelContext = new FakeContext(way);
      const registered = await registerWebMCP(registryOf(), { modelContext });
      expect(registered?.names).toEqual(["find_it", "wait", "unchecked"]);
      expect(modelContext.tools.get("find_it")).toMatchObject({
        title: "Find",
        description: "Finds",
        inputSchema: { type: "object", required: ["q"] },
        annotations: { readOnlyHint: true },
      });
      expect(await modelContext.tools.get("find_it")?.execute({ q: "x" })).toMatchObject({
        content: [{ type: "text", text: '{"found":"x"}' }],
        structuredContent: { found: "x" },
      });
      registered?.unregister();
      expect(modelContext.tools.size).toBe(0);
    },
  );

  test("arguments are checked before they reach a tool, also one that checks for itself", async () => {
    const modelContext = new FakeContext("signal");
    const registry = registryOf();
    await registerWebMCP(registry, { modelContext });
    for (const [name, input] of [
      ["find_it", {}],
      ["find_it", 5],
      ["unchecked", {}],
    ] as const) {
      expect(await modelContext.tools.get(name)?.execute(input)).toMatchObject({ isError: true });
    }
    expect(registry.calls).toEqual([]);
    expect(await modelContext.tools.get("unchecked")?.execute({ n: 1 })).toMatchObject({
      structuredContent: { n: 1 },
    });
  });

  test("the browser's signal, the page's and the end of the registration end a call", async () => {
    for (const end of ["browser", "page", "unregister"]) {
      stopped = false;
      const modelContext = new FakeContext("signal");
      const page = new AbortController();
      const browser = new AbortController();
      const registered = await registerWebMCP(registryOf(), {
        modelContext,
        call: { signal: page.signal },
      });
      const call = modelContext.tools.get("wait")?.execute({}, { signal: browser.signal });
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (end === "browser") browser.abort();
      else if (end === "page") page.abort();
      else registered?.unregister();
      expect(await call).toMatchObject({ isError: true });
      expect(stopped).toBe(true);
    }
  });

  test("a name that is taken takes back the others", async () => {
    const modelContext = new FakeContext("name");
    modelContext.tools.set("wait", {} as WebMcpTool);
    await expect(registerWebMCP(registryOf(), { modelContext })).rejects.toThrow(/taken/);
    expect([...modelContext.tools.keys()]).toEqual(["wait"]);
  });

  test("nothing happens where there is no model context", async () => {
    expect(await registerWebMCP(registryOf())).toBeUndefined();
    await expect(registerWebMCP(registryOf(), { modelContext: {} as never })).rejects.toMatchObject(
      { code: "bad_option" },
    );
  });
});
