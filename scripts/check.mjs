// Types of every realm, lint and format, each whole even when one before it failed; Node.
import "./require-node.mjs";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { embedGuestHalves } from "./build.mjs";
import { root, runPackage } from "./run-command.mjs";

const timeoutMs = 3 * 60_000;
const folders = ["src", "test", "scripts", "demo", "guests/python/page"];
const files = ["vite.config.ts", "vitest.config.ts"];

/**
 * Runs all checks.
 *
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string[]>} names of the checks that failed
 */
export async function check({ log = console.log } = {}) {
  await embedGuestHalves();
  const places = [...folders, ...files].filter((name) => existsSync(join(root, name)));
  /** @type {[string, string, string, string[]][]} */
  const checks = [
    ["types of the page", "typescript", "tsc", ["-p", "tsconfig.page.json"]],
    ["types of the worker", "typescript", "tsc", ["-p", "tsconfig.worker.json"]],
    ["types of tests and Node", "typescript", "tsc", ["-p", "tsconfig.test.json"]],
    ["lint", "oxlint", "oxlint", ["--deny-warnings", ...places]],
    ["format", "oxfmt", "oxfmt", ["--check", ...places]],
  ];
  const failed = [];
  for (const [name, owner, program, args] of checks) {
    const result = await runPackage(owner, program, args, { timeoutMs, capture: true });
    log(`  ${result.ok ? "ok    " : "FAILED"} ${name} (${result.seconds.toFixed(1)} s)`);
    if (result.ok) continue;
    failed.push(name);
    log(result.timedOut ? "    did not end in time" : result.output.trimEnd());
  }
  return failed;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { installPackages } = await import("./install-packages.mjs");
  if (!(await installPackages())) process.exit(1);
  process.exit((await check()).length === 0 ? 0 : 1);
}
