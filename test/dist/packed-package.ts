// The package as npm would publish it: the tarball and what is in it; Node.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm } from "../../scripts/run-command.mjs";

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface PackedPackage {
  readonly tarball: string;
  /** An empty app that has the package in its node_modules, outside of the repository. */
  readonly app: string;
  /** The unpacked package, in the node_modules of the app. */
  readonly folder: string;
  remove(): void;
}

/** Runs `npm pack` and unpacks the result as an installation would. */
export async function packPackage(): Promise<PackedPackage> {
  const app = mkdtempSync(join(tmpdir(), "sallyport-app-"));
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", app];
  const result = await runNpm(args, { timeoutMs: 60_000, capture: true });
  if (!result.ok) throw new Error(`npm pack failed:\n${result.output}`);
  const name = /"filename":\s*"([^"]+\.tgz)"/.exec(result.output)?.[1];
  if (name === undefined) throw new Error(`npm pack named no file:\n${result.output}`);
  const tarball = join(app, name);
  const folder = join(app, "node_modules/sallyport");
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  return { tarball, app, folder, remove: () => rmSync(app, { recursive: true, force: true }) };
}
