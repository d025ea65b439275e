// README.md and docs/*.md: every example is code, every link leads somewhere; test/browser/docs.test.ts runs them; Node.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";
import { anchors, type DocPage, prose, readDocs, root } from "./doc-blocks.ts";

const pages = readDocs();
const blocks = pages.flatMap((page) => page.blocks);
const scripts = blocks.filter(({ language }) => ["js", "ts"].includes(language));

const parses = (code: string, lang: "js" | "ts"): unknown => {
  try {
    parseAst(code, { lang, sourceType: "module" });
    return true;
  } catch (error) {
    return error;
  }
};

describe("examples", () => {
  test("the pages have them", () => {
    expect(pages.length).toBeGreaterThan(5);
    expect(scripts.length).toBeGreaterThan(15);
  });

  test.each(scripts.map((block) => [block.place, block] as const))("%s parses", (_at, block) => {
    const lang = block.language as "js" | "ts";
    const whole = parses(block.code, lang);
    // A piece of an object, such as `network: { … }`, stands by itself in the text.
    if (whole !== true && parses(`({${block.code}\n})`, lang) !== true) throw whole;
  });

  test("what is no code does not parse", () => {
    for (const code of ["const = 1", "import { from x", "network: { allow: ["]) {
      expect(parses(code, "js"), code).not.toBe(true);
      expect(parses(`({${code}\n})`, "js"), code).not.toBe(true);
    }
  });

  test.each(
    blocks
      .filter(({ language }) => language === "json")
      .map((block) => [block.place, block] as const),
  )("%s is JSON", (_at, { code }) => {
    // One document, or one a line.
    const documents = code.startsWith("{\n") ? [code] : code.trim().split("\n");
    for (const document of documents) JSON.parse(document);
  });

  test("only examples run, and where they can", () => {
    for (const { place, language, words } of blocks) {
      if (words.length > 0) expect([language, words[0]], place).toEqual(["js", "run"]);
      expect(["run", "run node", ""], place).toContain(words.join(" "));
    }
  });
});

test.each(pages.map((page) => [page.path, page] as const))("links of %s", (_path, page) => {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});

function leadsSomewhere(page: DocPage, link: string): boolean {
  if (link.startsWith("https:")) return true;
  const [file, anchor] = link.split("#");
  const path = file ? normalize(join(dirname(page.path), file)) : page.path;
  if (!existsSync(join(root, path))) return false;
  const target = pages.find((one) => one.path === path);
  return anchor === undefined || (target !== undefined && anchors(target).includes(anchor));
}

describe("docs/security.md", () => {
  const { text } = pages.find(({ path }) => path === "docs/security.md")!;
  const named = [...text.matchAll(/\]\(\.\.\/(test\/[^)]+)\)((?:[:,] \*[^*]+\*)*)/g)].map(
    ([, file, titles]) =>
      [file!, [...titles!.matchAll(/\*([^*]+)\*/g)].map(([, title]) => title!)] as const,
  );

  test("names a test for each promise", () => {
    const [, promised] = text.split(/^## /m);
    const rows = promised!.split("\n").filter((line) => line.startsWith("| "));
    for (const row of rows.slice(2)) expect(row).toMatch(/\| \[[^|]+\]\(\.\.\/test\/[^|]+\|$/);
    expect(rows.length).toBeGreaterThan(15);
  });

  test.each(named)("%s has the tests that it names: %j", (file, titles) => {
    const source = readFileSync(join(root, file), "utf8");
    for (const title of titles) expect(source).toContain(title);
  });
});
