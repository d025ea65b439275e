// CPython's own tests in a guest, from the source that our build was made of; Node, only in long runs.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { PYTHON } from "./builds.ts";
import { CPYTHON_TESTS } from "./cpython-tests.ts";
import { sandboxOptions } from "./python-case.ts";

const root = new URL("../..", import.meta.url).pathname;
const tests = `${root}.cache/python/sources/Python-3.11.2/Lib/test`;
const there = existsSync(PYTHON.own) && existsSync(tests);
if (!there) console.log("CPython's own tests need a build of our own: npm run build:python.");

type Tree = { [name: string]: Tree | Uint8Array };

function treeOf(folder: string): Tree {
  const entries = readdirSync(folder, { withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter(({ name }) => name !== "__pycache__")
      .map((entry) => [
        entry.name,
        entry.isDirectory()
          ? treeOf(`${folder}/${entry.name}`)
          : new Uint8Array(readFileSync(`${folder}/${entry.name}`)),
      ]),
  );
}

describe.skipIf(!there)("CPython's own tests", async () => {
  const api = (await import(`${root}dist/node.js`)) as typeof Sallyport;
  const library = there ? api.image(treeOf(tests)) : undefined;
  const sandbox = there
    ? await api.createSandbox({
        memoryBytes: 2 ** 30,
        ...sandboxOptions("snapshot", pathToFileURL(PYTHON.own)),
      })
    : undefined;
  afterAll(() => sandbox?.close());

  test.each(Object.entries(CPYTHON_TESTS))(
    "%s",
    { timeout: 10 * 60_000 },
    async (name, { main, fails = {} }) => {
      const args = main ? ["-m", `test.${name}`] : ["-m", "unittest", "-q", `test.${name}`];
      const { status, exitCode, stderrText, stdoutText } = await sandbox!.run({
        argv0: "python",
        args,
        files: { "/tmp": {} },
        env: { TMPDIR: "/tmp" },
        mounts: { "/usr/lib/python3.11/test": library! },
        limits: { timeoutMs: 9 * 60_000 },
      }).result;
      expect(status, stderrText.slice(-2_000)).toBe("exited");
      const report = stdoutText + stderrText;
      const byName = (a: string, b: string): number => (a < b ? -1 : 1);
      const failed = [...report.matchAll(/^(?:FAIL|ERROR): \S+ \(test\.([^)]+)\)/gm)].map(
        ([, id]) => id!,
      );
      expect(failed.toSorted(byName), report.slice(-3_000)).toEqual(
        Object.keys(fails).toSorted(byName),
      );
      expect(report).toMatch(/^Ran [1-9]\d* tests?/m);
      expect(exitCode).toBe(failed.length > 0 ? 1 : 0);
    },
  );
});
