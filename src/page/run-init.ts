// What a run's worker is told, made of the options of run() and the module's facts; page and Node.

import { SandboxError } from "../errors.ts";
import { preopensFrom, type FileOptions, type PreopenSpec } from "../files/preopens.ts";
import { TERMINAL_COLUMNS, TERMINAL_ROWS } from "../limits.ts";
import { entryName, noEntry } from "../wasm/entry.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import type { ImportedMemory, RunInit, StdinSpec } from "../wire/messages.ts";
import { loadPart } from "./load-part.ts";
import { PACKAGE_RUN } from "./package-run.ts";
import { wrong, type CheckedLimits, type RunOptions } from "./run-options.ts";

/** Where our guest halves are mounted. */
const HALVES_PATH = "/lib/sallyport";

/** What the sandbox knows that a run needs. */
export interface ModuleOfRun {
  readonly facts: ModuleFacts;
  /** argv[0] where the caller names none. */
  readonly name: string;
  /** The export that runs begin with when they start from a snapshot. */
  readonly snapshotRun?: string | undefined;
}

/** Throws SandboxError `no_entry`, `bad_path`, `bad_option`. */
export async function prepareRun(
  { facts, name, snapshotRun }: ModuleOfRun,
  given: RunOptions,
  limits: CheckedLimits,
): Promise<RunInit<PreopenSpec>> {
  const options = snapshotRun === undefined ? given : fromSnapshot(given, snapshotRun);
  checkEntry(facts, options.entry);
  const door = options.tools !== undefined || options.door !== undefined;
  const network = options.network !== undefined;
  const halves = (door || network) && options.guestHalves !== false;
  const importedMemory = memoryToGive(facts);
  const asPackage = options[PACKAGE_RUN];
  return {
    args: [options.argv0 ?? name, ...(options.args ?? [])],
    env: environment(options, halves),
    stdin: asPackage
      ? { kind: "lines", lines: asPackage.lines, more: asPackage.more }
      : stdinSpec(options.stdin),
    preopens:
      asPackage?.preopens ??
      preopensFrom(halves ? await mountHalves(options) : fileOptions(options)),
    ...(options.entry === undefined ? {} : { entry: options.entry }),
    door,
    http: network,
    timeoutMs: limits.timeoutMs,
    ...(importedMemory ? { importedMemory } : {}),
    quotas: limits.quotas,
    tty: options.tty ?? (options.terminal ? [0, 1, 2] : []),
    ...(options.deterministic ? { deterministic: options.deterministic } : {}),
    ...(asPackage ? { abi1: true as const } : {}),
  };
}

/** The guest knows one preopen, `/`, since it looked before the snapshot: mounts are folders under it. */
function fromSnapshot(options: RunOptions, entry: string): RunOptions {
  if (options.entry !== undefined) wrong("entry", "left out: the runs of a snapshot have theirs");
  return { ...options, entry, files: options.files ?? {} };
}

function checkEntry(facts: ModuleFacts, asked: string | undefined): void {
  const functions = facts.exports
    .filter(({ kind }) => kind === "function")
    .map((entry) => entry.name);
  const name = entryName(asked, (wanted) => functions.includes(wanted));
  if (!functions.includes(name)) throw noEntry(name, functions);
}

function fileOptions({ files, mounts }: RunOptions): FileOptions {
  return { ...(files === undefined ? {} : { files }), ...(mounts === undefined ? {} : { mounts }) };
}

/** The guest halves are loaded by the first run that needs them. They go last, so that the caller's preopens keep their numbers. */
async function mountHalves(options: RunOptions): Promise<FileOptions> {
  const { guestHalves } = await loadPart(() => import("../files/guest-halves.ts"));
  const mounts = options.mounts ?? {};
  const files = options.files ?? (Object.keys(mounts).length === 0 ? {} : undefined);
  return fileOptions({
    ...(files === undefined ? {} : { files }),
    mounts: { ...mounts, ...(HALVES_PATH in mounts ? {} : { [HALVES_PATH]: guestHalves() }) },
  });
}

/** Preview 1 has no call for the size of a terminal; programs look for it here. */
function environment({ env = {}, terminal }: RunOptions, halves: boolean): Record<string, string> {
  const { columns = TERMINAL_COLUMNS, rows = TERMINAL_ROWS } = terminal ?? {};
  const size = terminal && { COLUMNS: String(columns), LINES: String(rows) };
  const whole = { ...size, ...env };
  return halves ? withHalves(whole) : whole;
}

/** Ours first, since a guest's own `host` would not reach the door; what the caller set stays behind it. */
function withHalves(env: Readonly<Record<string, string>>): Record<string, string> {
  const first = (own: string, given: string | undefined): string =>
    given ? `${own}:${given}` : own;
  return {
    ...env,
    PYTHONPATH: first(`${HALVES_PATH}/python`, env["PYTHONPATH"]),
    RUBYLIB: first(`${HALVES_PATH}/ruby`, env["RUBYLIB"]),
    HOST_DOOR: env["HOST_DOOR"] ?? "/dev/door",
  };
}

const encoder = new TextEncoder();

function stdinSpec(stdin: RunOptions["stdin"]): StdinSpec {
  if (stdin === "interactive" || stdin instanceof ReadableStream) return { kind: "blocking" };
  if (stdin === undefined) return { kind: "bytes", bytes: new Uint8Array(0) };
  if (typeof stdin === "string") return { kind: "bytes", bytes: encoder.encode(stdin) };
  const bytes = ArrayBuffer.isView(stdin)
    ? new Uint8Array(stdin.buffer, stdin.byteOffset, stdin.byteLength)
    : new Uint8Array(stdin);
  return { kind: "bytes", bytes: bytes.slice() };
}

/** The memory for a module that imports one, already bounded by the facts. */
function memoryToGive(facts: ModuleFacts): ImportedMemory | undefined {
  const memory = facts.memory;
  const entry = facts.imports.find(({ kind }) => kind === "memory");
  if (!memory?.imported || !entry) return undefined;
  if (memory.is64 || memory.initial === undefined) {
    throw new SandboxError(
      "unsupported",
      "the module imports a memory whose size is not known here; give its bytes or URL instead of a compiled Module",
    );
  }
  return {
    module: entry.module,
    name: entry.name,
    initial: memory.initial,
    ...(memory.maximum === undefined ? {} : { maximum: memory.maximum }),
    shared: memory.shared,
  };
}
