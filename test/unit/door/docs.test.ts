// The examples of docs/tools.md and docs/tool-protocol.md run, and print what their comments say; Node.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { TOOL_ERROR_KINDS } from "../../../src/tools/tool-error.ts";

const root = new URL("../../../", import.meta.url).pathname;
const pages = ["tools", "tool-protocol"].map(
  (name) => [name, readFileSync(`${root}docs/${name}.md`, "utf8")] as const,
);

/** Where the names of `sallyport` that the pages use come from. */
const LIBRARY = `
export { SandboxError } from "${root}src/errors.ts";
export { createToolDoor } from "${root}src/door/create-tool-door.ts";
export { PROTOCOL } from "${root}src/door/frame.ts";
export { stubs } from "${root}src/door/stubs.ts";
export { contractTool } from "${root}src/tools/contract-tool.ts";
export { tool } from "${root}src/tools/tool.ts";
export { ToolDenied, ToolError } from "${root}src/tools/tool-error.ts";
`;

/** What the comments after console.log say that it prints: on its line, or on the lines below. */
function promised(example: string): string[] {
  return [...example.matchAll(/console\.log\((?:.*)\);(?: \/\/ (.*)|\n((?: *\/\/.*\n)+))/g)].map(
    ([, inline, below]) =>
      inline ??
      (below as string)
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/^ *\/\/ ?/, ""))
        .join("\n"),
  );
}

const shown = (values: unknown[]) =>
  values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" ");

describe.each(pages)("docs/%s.md", (name, page) => {
  const examples = [...page.matchAll(/```js run\n([\s\S]*?)```/g)].map(
    ([, code]) => code as string,
  );

  test("has examples", () => expect(examples.length).toBeGreaterThan(0));

  test.each(examples.map((code, i) => [i, code] as const))("example %i", async (i, code) => {
    const folder = `${root}.cache/docs/`;
    mkdirSync(folder, { recursive: true });
    const library = `${folder}library-${process.pid}.ts`;
    writeFileSync(library, LIBRARY);
    const file = `${folder}${name}-${i}-${process.pid}.ts`;
    writeFileSync(
      file,
      `// @ts-nocheck\n${code.replaceAll('from "sallyport"', `from "${library}"`)}`,
    );
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      await import(/* @vite-ignore */ file);
      const printed = log.mock.calls.map((values) => shown(values).trimEnd());
      expect(printed).toEqual(promised(code).map((text) => text.trimEnd()));
      expect(printed.length).toBeGreaterThan(0);
    } finally {
      log.mockRestore();
      rmSync(file);
    }
  });
});

test("every kind of failure is explained", () => {
  const page = pages.find(([name]) => name === "tool-protocol")?.[1];
  for (const kind of TOOL_ERROR_KINDS) expect(page).toContain(`| \`${kind}\` |`);
});
