// The build itself: the same sources give the same bytes, and unchanged ones cost nothing; Node.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { root } from "./packed-package.ts";

const dist = join(root, "dist");

function hashes(): Record<string, string> {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true });
  const paths = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const hash = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  return Object.fromEntries(paths.sort().map((path) => [path.slice(dist.length), hash(path)]));
}

const build = (...args: string[]) =>
  runCommand(process.execPath, [join(root, "scripts/build.mjs"), ...args], {
    timeoutMs: 60_000,
    capture: true,
  });

test("the same sources give the same bytes", async () => {
  expect((await build()).ok).toBe(true);
  const before = hashes();
  const again = await build("--force");
  expect(again.ok, again.output).toBe(true);
  expect(again.output).toMatch(/built in/);
  expect(hashes()).toEqual(before);
});

test("unchanged sources are not built again", async () => {
  await build();
  const again = await build();
  expect(again.output).toBe("dist/ is up to date.\n");
});

test("nothing in the output names a place of this machine", () => {
  for (const name of readdirSync(dist).filter((file) => file.endsWith(".js"))) {
    expect(readFileSync(join(dist, name), "utf8"), name).not.toContain(root);
  }
});
