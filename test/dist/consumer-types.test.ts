// The packed package's declarations in the hands of a TypeScript author, beside the types of the SDKs; Node.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { packPackage, root } from "./packed-package.ts";
import type { PackedPackage } from "./packed-package.ts";

const source = readFileSync(new URL("./fixtures/types/agent.ts", import.meta.url), "utf8");
/** What such an author has installed. */
const INSTALLED = ["@anthropic-ai/sdk", "@modelcontextprotocol/client", "ai", "ajv", "openai"];
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  target: "ES2022",
  lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  types: [],
};

let packed: PackedPackage;
beforeAll(async () => {
  packed = await packPackage();
  writeFileSync(join(packed.app, "package.json"), JSON.stringify({ type: "module" }));
  for (const name of INSTALLED) {
    const link = join(packed.app, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
});
afterAll(() => packed?.remove());

/** What the compiler says about a file of the app. */
async function compile(code: string, options: object): Promise<string> {
  writeFileSync(join(packed.app, "agent.ts"), code);
  const compilerOptions = { ...STRICT, ...options };
  writeFileSync(
    join(packed.app, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["agent.ts"] }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const run = { timeoutMs: 120_000, capture: true, cwd: packed.app };
  const { ok, output } = await runCommand(process.execPath, [tsc, "-p", "."], run);
  return ok ? "" : output || "tsc failed";
}

test.each([
  ["a bundler's", { module: "ESNext", moduleResolution: "Bundler" }],
  ["Node's", { module: "NodeNext", moduleResolution: "NodeNext" }],
])("an agent compiles, by %s rules, and mistakes are told", async (_whose, resolution) => {
  const options = { ...resolution, skipLibCheck: true };
  expect(await compile(source, options)).toBe("");
  // The same with what is expected to be wrong unmarked: each mistake is an error of its own.
  const unmarked = await compile(source.replaceAll("@ts-expect-error", "wrong:"), options);
  expect(unmarked.match(/error TS\d+/g)).toHaveLength(source.split("@ts-expect-error").length - 1);
});

test("the declarations themselves have no errors", async () => {
  const { exports } = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  const entries = Object.keys(exports).filter((name) => name !== "./package.json");
  expect(entries.length).toBeGreaterThan(5);
  const code = entries.map((name, i) => `export * as e${i} from "sallyport${name.slice(1)}";`);
  const output = await compile(code.join("\n"), {
    module: "NodeNext",
    moduleResolution: "NodeNext",
    skipLibCheck: false,
  });
  expect(output.split("\n").filter((line) => /node_modules.sallyport|^agent/.test(line))).toEqual(
    [],
  );
});
