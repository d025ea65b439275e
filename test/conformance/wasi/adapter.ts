// Runs one module of the public wasi-testsuite on our WASI, in Node, and says what it printed and how it ended.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FlatEntry } from "../../../src/files/tree.ts";
import {
  FILES_BYTES,
  FILES_DESCRIPTORS,
  FILES_ENTRIES,
  WRITE_BUDGET_BYTES,
} from "../../../src/limits.ts";
import { createWasi, WasiExit } from "../../../src/worker/wasi.ts";
import { finishStep } from "./finish-step.ts";

/** What a test of the suite asks for; the fields of its JSON file. */
export interface SuiteSpec {
  readonly args: readonly string[];
  /** Folders beside the test that are preopened under their own names: older suites. */
  readonly dirs: readonly string[];
  /** A folder beside the test that is preopened as `/`. */
  readonly root?: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly exit_code: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** How a test ended. `trap` is the message of whatever ended it other than an exit. */
export interface SuiteOutcome {
  readonly exitCode?: number;
  readonly trap?: string;
  readonly stdout: string;
  readonly stderr: string;
}

const FIELDS = ["args", "dirs", "root", "env", "exit_code", "stdout", "stderr"];
const PRESETS: SuiteSpec = { args: [], dirs: [], env: {}, exit_code: 0 };

/** The JSON beside a test, with the suite's defaults; both of its forms. Throws for a field that it does not know. */
export function readSpec(wasm: string): SuiteSpec {
  const path = wasm.replace(/\.wasm$/, ".json");
  if (!existsSync(path)) return PRESETS; // as most tests
  const { operations, proposals, ...fields } = JSON.parse(readFileSync(path, "utf8")) as {
    operations?: { type: string; id?: string; payload?: string }[];
    proposals?: string[];
    [field: string]: unknown;
  };
  if (proposals?.length) throw new Error(`${path} wants ${proposals.join()}`);
  for (const { type, id, payload, ...rest } of operations ?? []) {
    if (type === "read") fields[id ?? "stdout"] = payload ?? "";
    else if (type === "run" || type === "wait") Object.assign(fields, rest);
    else throw new Error(`${path} has an operation that is not preview 1's: ${type}`);
  }
  const unknown = Object.keys(fields).filter((name) => !FIELDS.includes(name));
  if (unknown.length > 0)
    throw new Error(`${path} has a field of a newer suite: ${unknown.join()}`);
  return { ...PRESETS, ...fields };
}

/** Which folders a test is given: the guest's path and the path on the disk. */
export function preopensOf(wasm: string, { dirs, root }: SuiteSpec): [string, string][] {
  const named = dirs.map((dir): [string, string] => [dir, join(wasm, "..", dir)]);
  return root ? [["/", join(wasm, "..", root)], ...named] : named;
}

/** The built preview 1 tests in a checkout of the suite, wherever it has them. */
export function testFiles(root: string): string[] {
  return (readdirSync(root, { recursive: true }) as string[])
    .filter((path) => path.endsWith(".wasm") && path.includes("wasm32-wasip1"))
    .filter((path) => !path.includes("wasip1-threads"))
    .sort();
}

/** A folder of the disk, laid flat. */
export function readTree(folder: string): FlatEntry[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => !path.includes(".cleanup"))
    .sort()
    .map((path) => {
      const full = join(folder, path);
      return statSync(full).isDirectory()
        ? { path, type: "directory" as const }
        : { path, type: "file" as const, bytes: new Uint8Array(readFileSync(full)) };
    });
}

/** Runs a module to its end. Nothing on the disk is touched: folders are read into memory. */
export function runTest(wasm: string, spec: SuiteSpec): SuiteOutcome {
  const output = { 1: "", 2: "" };
  const decoders = { 1: new TextDecoder(), 2: new TextDecoder() };
  const host = createWasi({});
  host.begin({
    args: [wasm.split("/").at(-1)!, ...spec.args],
    env: spec.env,
    preopens: preopensOf(wasm, spec).map(([path, folder]) => ({
      path,
      source: { kind: "memory", entries: readTree(folder) },
    })),
    stdin: { kind: "bytes", bytes: new Uint8Array(0) },
    emit: (stream, bytes) => {
      output[stream] += decoders[stream].decode(bytes, { stream: true });
    },
    quotas: {
      fileBytes: FILES_BYTES,
      entries: FILES_ENTRIES,
      descriptors: FILES_DESCRIPTORS,
      writeBytes: WRITE_BUDGET_BYTES,
    },
    tty: [],
  });
  const imports: Record<string, WebAssembly.ImportValue> = { ...host.plain };
  for (const [name, { run }] of Object.entries(host.blocking)) {
    imports[name] = (...args: unknown[]) => finishStep(run(...args));
  }
  const end = enter(wasm, imports, (memory) => host.attach(memory));
  return { ...end, stdout: output[1], stderr: output[2] };
}

function enter(
  wasm: string,
  imports: Record<string, WebAssembly.ImportValue>,
  attach: (memory: WebAssembly.Memory) => void,
): { exitCode: number } | { trap: string } {
  try {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(wasm)), {
      wasi_snapshot_preview1: imports,
    });
    attach(instance.exports["memory"] as WebAssembly.Memory);
    (instance.exports["_start"] as () => void)();
    return { exitCode: 0 };
  } catch (error) {
    return error instanceof WasiExit ? { exitCode: error.code } : { trap: String(error) };
  }
}
