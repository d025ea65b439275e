// docs/files.md: its example runs, and its limits are the ones in force; Node.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import * as limits from "../../../src/limits.ts";

const page = readFileSync(new URL("../../../docs/files.md", import.meta.url), "utf8");

test("the example prints what its comment says", async () => {
  const examples = [...page.matchAll(/```js run\n([\s\S]*?)```/g)].map(([, code]) => code!);
  expect(examples).toHaveLength(1);
  const image = new URL("../../../src/files/image.ts", import.meta.url).pathname;
  const folder = fileURLToPath(new URL("../../../.cache/docs/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const file = `${folder}files-${process.pid}.mjs`;
  writeFileSync(file, examples[0]!.replace('from "sallyport"', `from "${image}"`));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(/* @vite-ignore */ file);
  expect(log.mock.calls.map((call) => call.join(" "))).toEqual(["image false true"]);
  expect(examples[0]).toContain("// image false true");
  log.mockRestore();
});

test("the table of limits tells the numbers in force", () => {
  const row = (start: string): string =>
    page.split("\n").find((line) => line.startsWith(`| ${start}`))!;
  const count = (value: number): string => value.toLocaleString("en");
  const MiB = 2 ** 20;
  expect(row("bytes of all writable")).toContain(`${limits.FILES_BYTES / MiB} MiB`);
  expect(row("files, folders and links")).toContain(count(limits.FILES_ENTRIES));
  expect(row("open descriptors")).toContain(count(limits.FILES_DESCRIPTORS));
  expect(row("bytes written in all")).toContain(`${limits.WRITE_BUDGET_BYTES / 2 ** 30} GiB`);
  expect(row("bytes of a path")).toContain(`${count(limits.PATH_BYTES)} and ${limits.NAME_BYTES}`);
  expect(row("depth of a tree")).toContain(` ${limits.PATH_DEPTH} `);
  expect(row("symbolic links followed")).toContain(` ${limits.SYMLINK_HOPS} `);
  expect(row("iovecs of one call")).toContain(count(limits.IOVECS));
  expect(limits.SUBSCRIPTIONS).toBe(limits.IOVECS);
});
