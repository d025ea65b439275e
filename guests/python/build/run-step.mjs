// Steps of the build: each is done again only when what it is made of has changed; Node built-ins only.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, runCommand } from "../../../scripts/run-command.mjs";

/** Where everything is kept that is not the result. */
export const cache = join(root, ".cache/python");

/** Why there is no build on this machine: not an error of ours, and the fallback is used. */
export class CannotBuild extends Error {}

/**
 * Runs `work` unless it was done already with the same inputs and `output` is still there.
 *
 * @param {string} name
 * @param {{ inputs: readonly (string | Uint8Array)[], output: string, work: () => Promise<void> }} step
 * @returns {Promise<string>} a key of this step, for the inputs of the next
 */
export async function runStep(name, { inputs, output, work }) {
  const hash = createHash("sha256").update(`${name}\0`);
  for (const input of inputs) hash.update(createHash("sha256").update(input).digest());
  const key = hash.digest("hex");
  const stamp = join(cache, "stamps", `${name}.txt`);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key && existsSync(output)) return key;
  const begun = performance.now();
  rmSync(stamp, { force: true });
  await work();
  if (!existsSync(output)) throw new Error(`${name}: ${output} was not made`);
  mkdirSync(join(cache, "stamps"), { recursive: true });
  writeFileSync(stamp, key);
  console.log(`  ${name} ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  return key;
}

/**
 * Runs a command at low priority and throws, with the end of what it said, when it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, minutes?: number }} [options]
 * @returns {Promise<string>} what it said
 */
export async function run(command, args, { cwd = cache, env = {}, minutes = 15 } = {}) {
  const result = await runCommand("nice", ["-n", "10", command, ...args], {
    cwd,
    env,
    timeoutMs: minutes * 60_000,
    capture: true,
  });
  if (result.ok) return result.output;
  const end = result.output.split("\n").slice(-40).join("\n");
  const how = result.timedOut ? `not done after ${minutes} minutes` : `exit code ${result.code}`;
  throw new Error(`${command} ${args.slice(0, 6).join(" ")}: ${how}\n${end}`);
}
