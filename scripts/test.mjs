// `npm test`: installs what is missing, then runs every check under a deadline; Node built-ins only.
//
//   npm test                      everything
//   npm test -- unit              only the named steps: check, build, unit, browser, dist
//   npm test -- unit door/frame   further words go to vitest as filters
//   npm run test:long             the long tests too (files named *.long.test.ts)
import "./require-node.mjs";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { build, embedGuestHalves } from "./build.mjs";
import { check } from "./check.mjs";
import { copyGuests } from "./copy-guests.mjs";
import { installChromium } from "./install-chromium.mjs";
import { installPackages } from "./install-packages.mjs";
import { root, runPackage } from "./run-command.mjs";

const minute = 60_000;
const started = Date.now();
const stepNames = ["check", "build", "unit", "browser", "dist"];
const words = argv.slice(2).filter((word) => word !== "--long");
const long = argv.includes("--long");
const named = words.filter((word) => stepNames.includes(word));
const wanted = named.length > 0 ? named : stepNames;
const filters = words.filter((word) => !stepNames.includes(word));
const deadline = started + (long ? 240 : 19.5) * minute;

const totals = { passed: 0, failed: 0, skipped: 0 };
const results = [];
const failures = [];
try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main() {
  if (!(await installPackages())) return false;
  await embedGuestHalves();
  const env = long ? { SALLYPORT_LONG: "1" } : {};
  if (wanted.includes("browser") || wanted.includes("dist")) {
    const path = await installChromium();
    if (path === null) return false;
    env.SALLYPORT_CHROMIUM = path;
  }
  if (wanted.includes("check")) {
    await step("check", "types, lint, format", async () => (await check()).length === 0);
  }
  let built = true;
  if (wanted.some((name) => name === "build" || name === "browser" || name === "dist")) {
    built = await step("build", "dist/ and guests", buildAll);
  }
  for (const [name, title, minutes] of [
    ["unit", "unit and conformance tests, in Node", 8],
    ["browser", "browser tests, in Chromium", 12],
    ["dist", "tests of the built package", 8],
  ]) {
    if (!wanted.includes(name)) continue;
    if (!built && name !== "unit")
      results.push({ name, ok: false, note: "not run: the build failed" });
    else await step(name, title, () => runTests(name, long ? 240 : minutes, env));
  }
  return summarize();
}

async function step(name, title, run) {
  console.log(`\n== ${name}: ${title}`);
  const begun = Date.now();
  let note = "";
  let ok = false;
  if (begun >= deadline) note = "not run: no time left";
  else {
    try {
      ok = await run();
    } catch (error) {
      console.log(error instanceof Error ? error.message : error);
    }
  }
  const seconds = (Date.now() - begun) / 1_000;
  results.push({ name, ok, note, seconds });
  console.log(`== ${name}: ${ok ? "ok" : note || "FAILED"} (${seconds.toFixed(1)} s)`);
  return ok;
}

async function buildAll() {
  await build();
  copyGuests();
  return true;
}

async function runTests(project, minutes, env) {
  const file = join(root, `.cache/progress-${project}-${process.pid}.json`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  const reporters = ["--reporter=default", "--reporter=./scripts/progress-reporter.mjs"];
  const args = ["run", "--project", project, ...reporters, ...filters];
  if (filters.length > 0) args.push("--passWithNoTests");
  const timeoutMs = Math.min(minutes * minute, deadline - Date.now());
  const result = await runPackage("vitest", "vitest", args, {
    timeoutMs,
    env: { ...env, SALLYPORT_PROGRESS: file },
  });
  const progress = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { running: [] };
  rmSync(file, { force: true });
  failures.push(...(progress.failures ?? []));
  for (const key of Object.keys(totals)) totals[key] += progress[key] ?? 0;
  if (result.timedOut)
    console.log(`Stopped: it did not end within ${Math.round(timeoutMs / 1_000)} s.`);
  if (!progress.complete) {
    totals.failed += Math.max(1, progress.running.length);
    console.log(
      `Not finished: ${progress.running.join(", ") || "it broke off before the first file"}`,
    );
  }
  return result.ok && progress.complete === true;
}

function summarize() {
  console.log(`\n== summary (${((Date.now() - started) / 1_000).toFixed(0)} s)`);
  for (const { name, ok, note, seconds } of results) {
    const time = seconds === undefined ? "" : ` ${seconds.toFixed(1)} s`;
    console.log(`  ${ok ? "ok    " : "FAILED"} ${name}${time}${note ? ` (${note})` : ""}`);
  }
  if (failures.length > 0) console.log(`\n${failures.join("\n")}`);
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : "";
  console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
  return totals.failed === 0 && results.every(({ ok }) => ok);
}
