// The public wasi-testsuite, from a checkout with built tests in the folder WASI_TESTSUITE; without it only the canary.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { preopensOf, readSpec, runTest, testFiles } from "./adapter.ts";

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

  const specOf = (json: unknown) => {
    writeFileSync(join(folder, "spec.json"), JSON.stringify(json));
    return readSpec(join(folder, "spec.wasm"));
  };

  test("reads every form in which the suite has said what a test wants", () => {
    const wasm = join(folder, "spec.wasm");
    expect(readSpec(join(folder, "none.wasm"))).toMatchObject({ args: [], exit_code: 0 });
    const old = specOf({ dirs: ["a.dir"], args: ["a.dir"], stdout: "x" });
    expect(old).toMatchObject({ args: ["a.dir"], stdout: "x" });
    expect(preopensOf(wasm, old)).toEqual([["a.dir", join(folder, "a.dir")]]);
    const rooted = specOf({ root: "a.dir", exit_code: 3 });
    expect(rooted.exit_code).toBe(3);
    expect(preopensOf(wasm, rooted)).toEqual([["/", join(folder, "a.dir")]]);
    const operations = specOf({
      operations: [
        { type: "run", root: "a.dir", env: { A: "b" } },
        { type: "read", id: "stderr", payload: "y" },
        { type: "wait", exit_code: 4 },
      ],
    });
    expect(operations).toMatchObject({ root: "a.dir", env: { A: "b" }, stderr: "y", exit_code: 4 });
  });

  test("a form that it does not know fails, it is not passed over", () => {
    expect(() => specOf({ preopens: ["a.dir"] })).toThrow(/preopens/);
    expect(() => specOf({ operations: [{ type: "connect" }] })).toThrow(/connect/);
  });

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
