// The command behind `npm run bench`: reads its arguments, measures, prints a table or JSON; Node.

import { argv, env } from "node:process";
import { benchTable } from "./report.ts";
import { groupNames, runBench } from "./run-bench.ts";

const usage = `npm run bench [-- [--quick] [--json] [--only=${groupNames.join(",")}]]`;

const args = argv.slice(2);
const only = args
  .find((arg) => arg.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");
const unknown = args.filter(
  (arg) => !["--quick", "--json"].includes(arg) && !arg.startsWith("--only="),
);
const noGroup = (only ?? []).filter((name) => !groupNames.includes(name));
if (unknown.length > 0 || noGroup.length > 0) {
  console.error(`${[...unknown, ...noGroup].join(" ")} is not known. ${usage}`);
  process.exit(2);
}

const root = env["SALLYPORT_ROOT"];
if (!root) throw new Error("scripts/bench.mjs starts this, with SALLYPORT_ROOT set");

const lines = await runBench({
  root,
  quick: args.includes("--quick"),
  only,
  // Standard output is for the result alone.
  log: (line) => console.error(line),
});
console.log(args.includes("--json") ? JSON.stringify({ lines }, null, 2) : benchTable(lines));
