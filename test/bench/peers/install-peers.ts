// Installs the libraries that the bench measures beside ours, away from our own; Node.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNpm } from "../../../scripts/run-command.mjs";

/** Package and version. Comlink is ours already. */
export const peers = {
  coincident: "4.1.1",
  "@extism/extism": "1.0.3",
  "@runno/wasi": "0.10.0",
  pyodide: "314.0.7",
} as const;

/** Ten minutes. */
const TIMEOUT_MS = 600_000;

/** Brings them up to date; gives the folder of the packages. Throws with npm's words when that fails. */
export async function installPeers(root: string, log: (line: string) => void): Promise<string> {
  const folder = join(root, ".cache/bench-peers");
  const missing = Object.entries(peers).filter(
    ([name, version]) => versionIn(folder, name) !== version,
  );
  if (missing.length > 0) {
    const wanted = missing.map(([name, version]) => `${name}@${version}`);
    log(`installing ${wanted.join(", ")}`);
    mkdirSync(folder, { recursive: true });
    const own = join(folder, "package.json");
    if (!existsSync(own)) writeFileSync(own, '{ "private": true }\n');
    const { ok, output } = await runNpm(
      ["install", "--no-audit", "--no-fund", "--save-exact", ...wanted],
      { timeoutMs: TIMEOUT_MS, cwd: folder, capture: true },
    );
    if (!ok) throw new Error(`the peers could not be installed:\n${output}`);
  }
  return join(folder, "node_modules");
}

/** The version that is installed in a folder. */
export function versionIn(folder: string, name: string): string | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
