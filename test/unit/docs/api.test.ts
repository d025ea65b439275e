// docs/api.md lists every public name of every entry, and nothing else; Node.

import { existsSync, readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";
import { entryNames } from "../../../scripts/build.mjs";
import { root } from "./doc-blocks.ts";

const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");
const specifier = (entry: string): string =>
  entry === "index" ? "sallyport" : `sallyport/${entry}`;
const entries = entryNames.filter((entry) => existsSync(`${root}src/${entry}.ts`));

/** What an entry exports, by what is there at run time and what is only a type. */
function exported(entry: string): { names: string[]; types: string[] } {
  const { body } = parseAst(read(`src/${entry}.ts`), { lang: "ts", sourceType: "module" });
  const found = { names: [] as string[], types: [] as string[] };
  for (const statement of body) {
    if (statement.type !== "ExportNamedDeclaration") continue;
    for (const { exported: name, exportKind } of statement.specifiers) {
      const isType = exportKind === "type" || statement.exportKind === "type";
      if (name.type === "Identifier") found[isType ? "types" : "names"].push(name.name);
    }
  }
  return found;
}

/** What the page lists for an entry: the first cells of its two tables. */
function listed(entry: string): { names: string[]; types: string[] } {
  const [, section = ""] = read("docs/api.md").split(`\n## \`${specifier(entry)}\`\n`);
  const [names = "", types = ""] = section.split("\n## ")[0]!.split("\n| type |");
  const cells = (table: string): string[] =>
    [...table.matchAll(/^\| (\[.*?) \| .+ \|$/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/\[`(\w+)`\]\(\S+\)/g)].map(([, name]) => name!),
    );
  return { names: cells(names), types: cells(types) };
}

const sorted = ({ names, types }: { names: string[]; types: string[] }) => ({
  names: names.toSorted(),
  types: types.toSorted(),
});

describe("docs/api.md", () => {
  test.each(entries.filter((entry) => entry !== "node"))("lists %s", (entry) => {
    const own = sorted(exported(entry));
    expect(own.names.length).toBeGreaterThan(0);
    expect(sorted(listed(entry)), "of docs/api.md").toEqual(own);
  });

  test("says that Node has the same names, as it has", () => {
    expect(listed("node")).toEqual({ names: [], types: [] });
    expect(sorted(exported("node"))).toEqual(sorted(exported("index")));
  });

  test("names what is in the built package", () => {
    const built = read("test/dist/public-names.txt").trim().split("\n\n");
    expect(built.length).toBeGreaterThan(1);
    for (const list of built) {
      const [name = "", ...names] = list.split("\n");
      const entry = name === "sallyport/node" ? "sallyport" : name;
      const page = listed(entries.find((one) => specifier(one) === entry)!);
      expect(page.names.toSorted(), name).toEqual(names.map((one) => one.trim()).toSorted());
    }
  });

  test("each name leads to a file that has it", () => {
    const links = [...read("docs/api.md").matchAll(/\[`(\w+)`\]\(\.\.\/(\S+?)\)/g)];
    for (const [, name, file] of links)
      expect(read(file!), file).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
