// Runs the groups of the bench in one Chromium, one after the other, and collects their lines; Node.

import { answerLines } from "./answer-lines.ts";
import { BenchBrowser } from "./bench-browser.ts";
import type { BenchLine } from "./bench-line.ts";
import { doorLines } from "./door-lines.ts";
import { fileLines } from "./file-lines.ts";
import { ownPeerLines } from "./own-peer-lines.ts";
import { ownPythonLines } from "./own-python-lines.ts";
import { packageLines } from "./package-lines.ts";
import { peerLines } from "./peer-lines.ts";
import { protocolLines } from "./protocol-lines.ts";
import { pythonLines } from "./python-lines.ts";
import { wasiLines } from "./wasi-lines.ts";

/** How much to measure. */
export interface BenchOptions {
  /** The folder of the repository. */
  readonly root: string;
  /** Fewer samples, and no peers: at most four minutes. */
  readonly quick: boolean;
  /** Names of groups; all when absent. */
  readonly only?: readonly string[] | undefined;
  /** Told what goes on, a line each time. */
  readonly log: (line: string) => void;
}

/** What a group is given. */
export interface BenchRun extends BenchOptions {
  readonly browser: BenchBrowser;
}

/** The groups, in the order of the report. */
const groups: Readonly<Record<string, (run: BenchRun) => Promise<BenchLine[]>>> = {
  door: doorLines,
  wasi: wasiLines,
  files: fileLines,
  answers: answerLines,
  package: packageLines,
  python: pythonLines,
  own: ownPythonLines,
  "own-peers": ownPeerLines,
  protocol: protocolLines,
  peers: peerLines,
};

/** The names that `only` takes. */
export const groupNames: readonly string[] = Object.keys(groups);

/** Measures. A group that fails takes the whole bench with it: a bench with a hole is none. */
export async function runBench(options: BenchOptions): Promise<BenchLine[]> {
  const wanted = groupNames.filter((name) =>
    options.only ? options.only.includes(name) : !name.endsWith("peers") || !options.quick,
  );
  const browser = await BenchBrowser.start(options.root);
  const lines: BenchLine[] = [];
  try {
    for (const name of wanted) {
      const started = performance.now();
      const found = await groups[name]!({ ...options, browser });
      lines.push(...found);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      options.log(`${name}: ${found.length} lines in ${seconds} s`);
    }
  } finally {
    await browser.close();
  }
  return lines;
}
