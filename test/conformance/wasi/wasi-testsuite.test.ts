// The public wasi-testsuite, from a checkout with built tests in the folder WASI_TESTSUITE; without it only the canary.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readSpec, runTest, testFiles } from "./adapter.ts";

const root = process.env["WASI_TESTSUITE"];

describe.runIf(root !== undefined)("wasi-testsuite", () => {
  const files = root === undefined ? [] : testFiles(root);

  test("finds all 72 tests", () => expect(files.length).toBeGreaterThanOrEqual(72));

  test.each(files)("%s", (file) => {
    const path = join(root!, file);
    const spec = readSpec(path);
    const outcome = runTest(path, spec);
    expect(outcome, outcome.stderr).toMatchObject({ exitCode: spec.exit_code });
    if (spec.stdout !== undefined) expect(outcome.stdout).toBe(spec.stdout);
    if (spec.stderr !== undefined) expect(outcome.stderr).toBe(spec.stderr);
  });
});

describe("the harness itself", () => {
  const folder = mkdtempSync(join(tmpdir(), "wasi-canary-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("a module that traps does not pass", () => {
    const path = join(folder, "canary.wasm");
    // (module (memory (export "memory") 1) (func (export "_start") unreachable))
    const bytes =
      "0061736d0100000001040160000003020100050301000107130206" +
      "6d656d6f72790200065f737461727400000a05010300000b";
    writeFileSync(path, Buffer.from(bytes, "hex"));
    expect(existsSync(path)).toBe(true);
    const outcome = runTest(path, readSpec(path));
    expect(outcome.exitCode).toBeUndefined();
    expect(outcome.trap).toMatch(/unreachable/);
  });
});
