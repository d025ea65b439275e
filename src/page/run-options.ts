// What run() takes, checked: every wrong type is named before a worker is asked for; page and Node.

import type { BudgetOptions } from "../door/budget.ts";
import type { OnCall } from "../door/call-record.ts";
import type { Gate } from "../door/invoke-tool.ts";
import { SandboxError } from "../errors.ts";
import type { HttpDoorOptions } from "../http/http-door.ts";
import type { NetworkOptions } from "../http/network-policy.ts";
import type { FileOptions } from "../files/preopens.ts";
import {
  FILES_BYTES,
  FILES_DESCRIPTORS,
  FILES_ENTRIES,
  OUTPUT_BYTES,
  RUN_TIMEOUT_MS,
  TERMINAL_SIDE,
  WRITE_BUDGET_BYTES,
} from "../limits.ts";
import type { ContractTool } from "../tools/contract-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { PACKAGE_RUN, PackageRun } from "./package-run.ts";
import type { Quotas } from "../wire/messages.ts";

/** A raw host function behind the door: bytes in, bytes out; what it throws the guest sees as -2. */
export type RawDoor = (
  request: Uint8Array<ArrayBuffer>,
  context: { readonly signal: AbortSignal },
) => Uint8Array | Promise<Uint8Array>;

/** Limits of one run; each has a default. */
export interface RunLimits {
  /** Milliseconds of the guest's own time: computing, sleeping, polling; not while the page is asked. Default 30,000. */
  readonly timeoutMs?: number;
  /** Milliseconds in all. Default none. */
  readonly wallMs?: number;
  /** Bytes of stdout, and of stderr, kept for the result. Default 16 MiB. */
  readonly outputBytes?: number;
  /** Bytes of all writable in-memory files. Default 256 MiB. */
  readonly fileBytes?: number;
  /** Files, folders and links. Default 65,536. */
  readonly entries?: number;
  /** Open descriptors. Default 256. */
  readonly descriptors?: number;
  /** Bytes written in all, rewriting included. Default 1 GiB. */
  readonly writeBytes?: number;
}

/** Everything about one run. */
export interface RunOptions {
  /** Arguments, without argv[0]. */
  readonly args?: readonly string[];
  /** argv[0]; default: the module's file name. */
  readonly argv0?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Text, bytes or a stream; `"interactive"` lets `run.stdin` be written while the guest runs. */
  readonly stdin?: string | BufferSource | ReadableStream<Uint8Array | string>;
  /** Files of the in-memory tree at `/`, by absolute path. */
  readonly files?: FileOptions["files"];
  /** Further preopens, in this order. */
  readonly mounts?: FileOptions["mounts"];
  /** The page's functions that the guest may call. */
  readonly tools?: readonly (Tool | ContractTool)[];
  /** Asked before each tool call; refuses by throwing ToolDenied. */
  readonly gate?: Gate;
  /** Frames and request bytes the guest may send. */
  readonly budget?: BudgetOptions;
  /** Told of each tool call's start and end. */
  readonly onCall?: OnCall;
  /** A raw host function instead of tools. */
  readonly door?: RawDoor;
  /** Hosts that the guest may reach over HTTP; without it, none. */
  readonly network?: NetworkOptions;
  /** How its requests are sent: with `transport`, redirects and headers have full semantics. See docs/http.md. */
  readonly http?: Pick<
    HttpDoorOptions,
    "fetch" | "transport" | "onRequest" | "onProgress" | "timeoutMs"
  >;
  /** Whether to mount the guest halves at /lib/sallyport; default true with tools or a door. */
  readonly guestHalves?: boolean;
  /** The export to start with; default `_start`, else `_initialize` and then `run`. */
  readonly entry?: string;
  readonly limits?: RunLimits;
  /**
   * Makes the standard streams a terminal: isatty answers yes, and `COLUMNS` and `LINES`, unless set in `env`, tell its
   * size in characters (default 80 and 24).
   */
  readonly terminal?: { readonly columns?: number; readonly rows?: number };
  /** Streams for which isatty answers yes: 0, 1, 2. Default: all with `terminal`, else none. */
  readonly tty?: readonly (0 | 1 | 2)[];
  /** Seeded randomness and a clock that starts at `timeMs`, so that a run repeats exactly. */
  readonly deterministic?: { readonly seed: number; readonly timeMs: number };
  readonly signal?: AbortSignal;
  /** Not for callers: how function packages are run. */
  readonly [PACKAGE_RUN]?: PackageRun;
}

/** Limits with every default filled in. */
export interface CheckedLimits {
  readonly timeoutMs: number;
  readonly wallMs: number;
  readonly outputBytes: number;
  readonly quotas: Quotas;
}

const KNOWN: Readonly<Record<Extract<keyof RunOptions, string>, true>> = {
  args: true,
  argv0: true,
  env: true,
  stdin: true,
  files: true,
  mounts: true,
  tools: true,
  gate: true,
  budget: true,
  onCall: true,
  door: true,
  network: true,
  http: true,
  guestHalves: true,
  entry: true,
  limits: true,
  terminal: true,
  tty: true,
  deterministic: true,
  signal: true,
};

/** The names of all options. */
export const KNOWN_OPTIONS: readonly string[] = Object.keys(KNOWN);

/** Throws SandboxError `bad_option`, naming the option and what it takes. Files, mounts and tools have checks of their own. */
export function checkRunOptions(options: RunOptions): void {
  const { args, argv0, env, tools, door, gate, entry, signal, onCall, tty } = options;
  if (args !== undefined && !(Array.isArray(args) && args.every(isArgument))) {
    wrong("args", "an array of strings without NUL characters");
  }
  if (argv0 !== undefined && !isArgument(argv0)) wrong("argv0", "a string without NUL characters");
  if (env !== undefined && !isEnvironment(env)) {
    wrong("env", "an object of strings, names without `=` and no NUL characters");
  }
  if (tools !== undefined && !Array.isArray(tools))
    wrong("tools", "an array of what tool() returns");
  if (door !== undefined && typeof door !== "function") wrong("door", "a function");
  if (door !== undefined && tools !== undefined) {
    wrong("door", "given alone: tools are a door of their own, so give one of the two");
  }
  if (gate !== undefined && typeof gate !== "function") wrong("gate", "a function");
  if (onCall !== undefined && typeof onCall !== "function") wrong("onCall", "a function");
  if (entry !== undefined && typeof entry !== "string") wrong("entry", "the name of an export");
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong("signal", "an AbortSignal");
  if (tty !== undefined && !(Array.isArray(tty) && tty.every((fd) => [0, 1, 2].includes(fd)))) {
    wrong("tty", "an array of 0, 1 and 2");
  }
  checkStdin(options.stdin);
  checkSwitches(options);
}

function checkSwitches({ guestHalves, network, deterministic, terminal }: RunOptions): void {
  for (const [name, side] of Object.entries(terminal ?? {})) {
    if (name !== "columns" && name !== "rows") {
      wrong(`terminal.${name}`, "left out: known are columns and rows");
    }
    if (side !== undefined && !(Number.isInteger(side) && side >= 1 && side <= TERMINAL_SIDE)) {
      wrong(`terminal.${name}`, `a whole number from 1 to ${TERMINAL_SIDE}`);
    }
  }
  if (guestHalves !== undefined && typeof guestHalves !== "boolean") {
    wrong("guestHalves", "true or false");
  }
  if (network !== undefined && (typeof network !== "object" || network === null)) {
    wrong("network", "{ allow: [...] }");
  }
  if (deterministic === undefined) return;
  const { seed, timeMs } = deterministic;
  if (!Number.isFinite(seed)) wrong("deterministic.seed", "a number");
  if (!(Number.isFinite(timeMs) && timeMs >= 0 && timeMs <= LAST_TIME_MS)) {
    wrong("deterministic.timeMs", "milliseconds since 1970, before the year 2262");
  }
}

/** Guests read clocks in nanoseconds, many of them in 63 bits. */
const LAST_TIME_MS = 2 ** 63 / 1_000_000;

/** Fills in the defaults. Throws SandboxError `bad_option`. */
export function checkLimits(limits: RunLimits = {}): CheckedLimits {
  const known = [
    "timeoutMs",
    "wallMs",
    "outputBytes",
    "fileBytes",
    "entries",
    "descriptors",
    "writeBytes",
  ];
  for (const name of Object.keys(limits)) {
    if (!known.includes(name)) wrong(`limits.${name}`, `unknown; known are ${known.join(", ")}`);
  }
  const amount = (name: keyof RunLimits, preset: number, least: number): number => {
    const value = limits[name] ?? preset;
    if (typeof value === "number" && value >= least) return value;
    return wrong(`limits.${name}`, `a number of at least ${least}, or Infinity`);
  };
  return {
    timeoutMs: amount("timeoutMs", RUN_TIMEOUT_MS, 1),
    wallMs: amount("wallMs", Infinity, 1),
    outputBytes: amount("outputBytes", OUTPUT_BYTES, 0),
    quotas: {
      fileBytes: amount("fileBytes", FILES_BYTES, 0),
      entries: amount("entries", FILES_ENTRIES, 0),
      descriptors: amount("descriptors", FILES_DESCRIPTORS, 3),
      writeBytes: amount("writeBytes", WRITE_BUDGET_BYTES, 0),
    },
  };
}

/** Throws SandboxError `bad_option`: `name` has to be `what`. */
export function wrong(name: string, what: string): never {
  throw new SandboxError("bad_option", `the option ${name} is wrong: it has to be ${what}`, {
    data: { option: name },
  });
}

function checkStdin(stdin: RunOptions["stdin"]): void {
  if (stdin === undefined || typeof stdin === "string") return;
  if (stdin instanceof ArrayBuffer || ArrayBuffer.isView(stdin)) return;
  if (stdin instanceof ReadableStream) {
    if (!stdin.locked) return;
    wrong("stdin", "a stream that nobody else reads");
  }
  wrong("stdin", '"interactive", a string, bytes or a ReadableStream');
}

function isArgument(value: unknown): boolean {
  return typeof value === "string" && !value.includes("\0");
}

function isEnvironment(env: unknown): boolean {
  return (
    typeof env === "object" &&
    env !== null &&
    Object.entries(env).every(
      ([name, value]) => isArgument(name) && !name.includes("=") && isArgument(value),
    )
  );
}
