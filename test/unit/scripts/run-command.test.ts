// Child processes end at their deadline, with all that they started; Node.
import { expect, test } from "vitest";
import { runCommand } from "../../../scripts/run-command.mjs";

const node = (code: string, timeoutMs: number) =>
  runCommand(process.execPath, ["-e", code], { timeoutMs, capture: true });

test("gives the output and the code of a command", async () => {
  const result = await node(
    "console.log('out'); console.error('err'); process.exitCode = 3",
    10_000,
  );
  expect(result).toMatchObject({ ok: false, code: 3, timedOut: false });
  expect(result.output).toContain("out");
  expect(result.output).toContain("err");
});

test("a command that is not there gives no exception", async () => {
  const result = await runCommand("no-such-command-here", [], { timeoutMs: 1_000, capture: true });
  expect(result).toMatchObject({ ok: false, code: null });
});

test("ends a command at its deadline, and the grandchild with it", async () => {
  const grandchild = "setInterval(() => {}, 1000)";
  const code = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "ignore" });
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const result = await node(code, 1_000);
  expect(result).toMatchObject({ ok: false, timedOut: true });
  expect(result.seconds).toBeLessThan(8);
  const pid = Number(result.output.trim());
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => alive(pid), { timeout: 5_000 }).toBe(false);
});

test.skipIf(process.platform === "win32")("ends what a command leaves running", async () => {
  const code = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    child.unref();
    console.log(child.pid);`;
  const result = await node(code, 10_000);
  expect(result.ok).toBe(true);
  await expect.poll(() => alive(Number(result.output.trim())), { timeout: 5_000 }).toBe(false);
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
