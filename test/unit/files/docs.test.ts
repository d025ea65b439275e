// docs/files.md: its limits are the ones in force; Node.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as limits from "../../../src/limits.ts";

const page = readFileSync(new URL("../../../docs/files.md", import.meta.url), "utf8");

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
