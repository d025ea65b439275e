// Names beside what Python itself says of them; Node.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { propertyNameProblem, toolNameProblem } from "../../../src/tools/names.ts";

test("messages say what is wrong", () => {
  expect(toolNameProblem("lookup_region")).toBeUndefined();
  expect(toolNameProblem("class")).toBe('"class" is a Python keyword');
  expect(toolNameProblem("web-search")).toMatch(/^"web-search" is not a letter followed by/);
  expect(propertyNameProblem("größe")).toBeUndefined();
  expect(propertyNameProblem("from")).toBe('"from" is a Python keyword');
  expect(propertyNameProblem("max-results")).toBe('"max-results" is not a Python identifier');
  expect(propertyNameProblem("ﬁ")).toBe('"ﬁ" is written as "fi" by Python');
  for (const joined of ["a\u200db", "a\u200cb", "a\u30fb"]) {
    expect(propertyNameProblem(joined)).toMatch(/is not a Python identifier/);
  }
});

/** Prints, as 0 and 1, whether Python takes each character as a name, and after a letter. Unassigned ones are skipped. */
const ASK_PYTHON = `
import keyword, unicodedata
def takes(name):
    return name.isidentifier() and unicodedata.normalize("NFKC", name) == name and not keyword.iskeyword(name)
for code in range(0x30000):
    char = chr(code)
    if 0xD800 <= code < 0xE000 or unicodedata.category(char) == "Cn": continue
    print(code, int(takes(char)), int(takes("a" + char)))`;

test("every character that this machine's Python knows is judged as Python does", ({ skip }) => {
  const { status, stdout } = spawnSync("python3", ["-c", ASK_PYTHON], {
    encoding: "utf8",
    maxBuffer: 2 ** 25,
  });
  if (status !== 0) skip("no python3 on this machine");
  const rows = stdout.trim().split("\n");
  expect(rows.length).toBeGreaterThan(100_000);
  const taken = (name: string) => (propertyNameProblem(name) === undefined ? 1 : 0);
  const wrong = rows.filter((row) => {
    const [code, alone, after] = row.split(" ").map(Number) as [number, number, number];
    const char = String.fromCodePoint(code);
    // A later Unicode lets these four in, and so may a later Python; names must work in today's too.
    if (/\u200c|\u200d|\u30fb|\uff65/.test(char)) return false;
    return taken(char) !== alone || taken(`a${char}`) !== after;
  });
  expect(wrong).toEqual([]);
}, 60_000);
