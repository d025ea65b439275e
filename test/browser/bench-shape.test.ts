// What `npm run bench -- --json` prints, seen on its shortest group; no time is judged. Node.

import { spawn } from "node:child_process";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../../scripts/bench.mjs", import.meta.url));

function bench(...args: string[]): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout }));
  });
}

test("--json prints the lines and nothing else on standard output", async () => {
  const { code, stdout } = await bench("--quick", "--json", "--only=wasi");
  expect(code).toBe(0);
  const report = JSON.parse(stdout) as { lines: Record<string, unknown>[] };
  expect(Object.keys(report)).toEqual(["lines"]);
  expect(report.lines).toHaveLength(1);
  const line = report.lines[0]!;
  expect(line).toEqual({
    name: "plain WASI call, suspending",
    median: expect.any(Number) as number,
    min: expect.any(Number) as number,
    unit: "ns",
    floor: expect.any(Number) as number,
    ratio: expect.any(Number) as number,
    goal: expect.any(Number) as number,
    met: expect.any(Boolean) as boolean,
    peer: "plain WASI call, shared memory",
  });
  for (const name of ["median", "min", "floor", "ratio", "goal"]) {
    expect(line[name], name).toBeGreaterThan(0);
  }
  expect(line["min"]).toBeLessThanOrEqual(line["median"] as number);
  expect(line["met"]).toBe((line["ratio"] as number) <= (line["goal"] as number));
});

test("an argument that is not known is refused with the usage", async () => {
  const { code, stdout } = await bench("--quick", "--only=nothing");
  expect([code, stdout]).toEqual([1, ""]);
});
