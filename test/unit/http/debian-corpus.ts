// Test data that only a Debian package has: unpacked into .cache/ without installing it; Node, tests.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../../.cache/corpora/", import.meta.url));

/**
 * The text of a file of a package, by the end of its path; undefined, with a line that says so, where the package cannot
 * be had.
 */
export function debianCorpus(name: string, path: string): string | undefined {
  const folder = join(cache, name);
  if (!existsSync(folder) && !unpack(name, folder)) {
    console.warn(`skipped: no ${path} without Debian's package ${name}`);
    return undefined;
  }
  const found = findFile(folder, path);
  return found === undefined ? undefined : readFileSync(found, "utf8");
}

function unpack(name: string, folder: string): boolean {
  const downloads = join(cache, "packages");
  mkdirSync(downloads, { recursive: true });
  const quiet = { cwd: downloads, stdio: "ignore", timeout: 60_000 } as const;
  try {
    execFileSync("apt-get", ["download", name], quiet);
    const file = findFile(downloads, `${name}_`);
    if (file === undefined) return false;
    execFileSync("dpkg", ["-x", file, folder], quiet);
    return true;
  } catch {
    return false;
  }
}

function findFile(folder: string, part: string): string | undefined {
  const names: string[] = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const found = names.find((name) => name.endsWith(part) || name.startsWith(part));
  return found === undefined ? undefined : join(folder, found);
}
