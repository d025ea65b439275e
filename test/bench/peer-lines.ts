// Lines of other libraries beside ours, each installed when it is asked for; Node.

import { BenchBrowser } from "./bench-browser.ts";
import { benchLine, type BenchLine } from "./bench-line.ts";
import { runnoFileLines } from "./file-lines.ts";
import type { PythonWay } from "./page/python-starts.ts";
import { extismLoop } from "./peers/extism-loop.ts";
import { installPeers, peers, versionIn } from "./peers/install-peers.ts";
import type { PeerBenches } from "./peers/peer-calls.ts";
import { callPython } from "./python-lines.ts";
import type { BenchRun } from "./run-bench.ts";

/** How much faster than each of them a call has to be; comlink's caller awaits, so no guest could use it. */
const callGoals = { coincident: 1 / 1.5, comlink: 1 / 3, extism: 1 / 8 };

/** Door calls and Python's cold start. */
export async function peerLines({ root, log }: BenchRun): Promise<BenchLine[]> {
  const modules = await installPeers(root, log);
  const browser = await BenchBrowser.start(root, {
    scripts: [
      "peer-calls",
      "coincident-worker",
      "comlink-worker",
      "runno-python",
      "runno-files",
      "pyodide-python",
    ],
    guests: { "extism-loop": extismLoop },
    modules,
  });
  try {
    return [
      ...(await callLines(browser, versionIn(root, "comlink") ?? "")),
      ...(await startLines(browser)),
      ...(await runnoFileLines(browser, `@runno/wasi ${peers["@runno/wasi"]}`)),
    ];
  } finally {
    await browser.close();
  }
}

async function callLines(browser: BenchBrowser, comlink: string): Promise<BenchLine[]> {
  const names = {
    coincident: `coincident ${peers.coincident}`,
    comlink: `comlink ${comlink}, async`,
    extism: `@extism/extism ${peers["@extism/extism"]} in a worker, reset before each batch`,
  };
  const samples = await browser.inPage("/bench/peers.html", "coi", (page) =>
    page.evaluate(
      (turns) => (globalThis as unknown as { bench: PeerBenches }).bench.peerCalls(turns),
      { rounds: 25, calls: 25 },
    ),
  );
  return (["coincident", "comlink", "extism"] as const).map((name) =>
    benchLine(
      {
        name: "door call, 100 bytes each way",
        unit: "us",
        goal: callGoals[name],
        peer: names[name],
      },
      samples.ours,
      samples[name],
    ),
  );
}

async function startLines(browser: BenchBrowser): Promise<BenchLine[]> {
  const ways: readonly PythonWay[] = ["ours", "runno", "pyodide"];
  const samples = Object.fromEntries(ways.map((way) => [way, [] as number[]]));
  for (let round = 0; round < 6; round++) {
    for (const way of [...ways.slice(round % 3), ...ways.slice(0, round % 3)]) {
      const ms = await browser.inPage("/bench/python.html", "coi", (page) =>
        callPython(page, way, "cold"),
      );
      samples[way]!.push(ms);
    }
  }
  const line = (peer: string, way: PythonWay): BenchLine =>
    benchLine({ name: "Python, cold", unit: "ms", goal: 1, peer }, samples["ours"]!, samples[way]!);
  return [
    line(`@runno/wasi ${peers["@runno/wasi"]}, same module`, "runno"),
    line(`pyodide ${peers.pyodide}, its own Python`, "pyodide"),
  ];
}
