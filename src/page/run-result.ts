// What a run comes to; page and Node.

import { SandboxError } from "../errors.ts";
import type { HttpRequestRecord } from "../http/request-record.ts";
import type { LostFiles, RunOutcome, Transport } from "../wire/messages.ts";
import type { RunOutput } from "./output-stream.ts";
import { PACKAGE_RUN, type PackageEnd } from "./package-run.ts";
import { describeTrap } from "./trap.ts";
import { cannotBlock, cannotBlockInStart } from "./unsupported.ts";
import type { CallRecord } from "../door/call-record.ts";

/** How a run ended. */
export type RunStatus = "exited" | "trapped" | "timeout" | "killed" | "unsupported";

/** The result of a run, whatever the guest did. */
export interface RunResult {
  readonly status: RunStatus;
  /** Of a guest that exited. */
  readonly exitCode?: number;
  /**
   * A word for programs. `trapped`: `unreachable`, `memory_out_of_bounds`, `stack_overflow`, …; `timeout`: `guest_time`
   * or `wall_time`; `killed`: `kill`, `signal` or `closed`; `unsupported`: what the guest wanted to wait for.
   */
  readonly reason?: string;
  /** Says more, for a guest that trapped or that this page cannot serve. */
  readonly error?: SandboxError | Error;
  /** What the guest wrote, up to `limits.outputBytes` each. */
  readonly stdout: Uint8Array<ArrayBuffer>;
  readonly stderr: Uint8Array<ArrayBuffer>;
  /** The same as text (UTF-8, bad bytes replaced). */
  readonly stdoutText: string;
  readonly stderrText: string;
  /** True when more was written than is kept. */
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  /**
   * Files that the guest changed, by path; null for a deleted one. Undefined when a stopped guest could not be asked, and
   * with `filesError`.
   */
  readonly files: Readonly<Record<string, Uint8Array | null>> | undefined;
  /**
   * Set when the browser had no memory for copies of what the guest changed (code `resource_exhausted`). Its `data.lost`
   * has `"files"` when `files` is undefined for that, and `"folders"` when nothing was written back to granted folders.
   */
  readonly filesError?: SandboxError;
  /**
   * Set when something of a granted folder could not be written back (code `conflict`): it was changed meanwhile. Its
   * `data` lists each file with the bytes that the guest wanted there.
   */
  readonly conflict?: SandboxError;
  /** The record of tool calls; empty without tools. */
  readonly calls: readonly CallRecord[];
  /** The record of HTTP requests, refused ones too; empty without `network`. */
  readonly requests: readonly HttpRequestRecord[];
  /** Milliseconds from the guest's first instruction: in all, and of its own. */
  readonly durationMs: number;
  readonly guestMs: number;
  /** Not for callers: what a function package left. */
  readonly [PACKAGE_RUN]?: PackageEnd;
}

/** Why the page stopped a run. */
export interface Stop {
  readonly status: "timeout" | "killed";
  readonly reason: string;
}

/** All that a result is made of. */
export interface ResultParts {
  /** Undefined when a stopped guest did not unwind, or never started. */
  readonly outcome: RunOutcome | undefined;
  readonly conflict: SandboxError | undefined;
  /** Has the last word on the status: a guest that is being stopped may still return as if it had finished. */
  readonly stop: Stop | undefined;
  readonly transport: Transport;
  readonly output: Readonly<Record<1 | 2, RunOutput>>;
  readonly calls: readonly CallRecord[];
  readonly requests: readonly HttpRequestRecord[];
  readonly durationMs: number;
  readonly guestMs: number;
}

/** Puts a result together. */
export function runResult({
  outcome,
  conflict,
  stop,
  transport,
  output,
  ...rest
}: ResultParts): RunResult {
  const stdout = output[1].bytes();
  const stderr = output[2].bytes();
  return {
    __proto__: texts,
    ...(stop ?? endOf(outcome!, transport)),
    ...(conflict ? { conflict } : {}),
    ...(outcome?.lost ? { filesError: noMemory(outcome.lost) } : {}),
    stdout,
    stderr,
    stdoutTruncated: output[1].truncated,
    stderrTruncated: output[2].truncated,
    files: outcome?.end === "unsupported" ? undefined : outcome?.files,
    [PACKAGE_RUN]: { trees: outcome?.trees, memoryBytes: outcome?.memoryBytes },
    ...rest,
  } as unknown as RunResult;
}

/** The end of a guest that the page did not stop. */
function endOf(
  { end, exitCode, reason = "", thrown }: RunOutcome,
  transport: Transport,
): Pick<RunResult, "status" | "exitCode" | "reason" | "error"> {
  if (end === "exited") return { status: "exited", exitCode: exitCode ?? 0 };
  if (end === "timeout") return { status: "timeout", reason: "guest_time" };
  if (end === "unsupported") {
    const error = transport === "suspending" ? cannotBlockInStart(reason) : cannotBlock(reason);
    return { status: "unsupported", reason, error };
  }
  const trap = describeTrap(thrown ?? {});
  return { status: "trapped", reason: trap.reason, error: new Error(trap.message) };
}

function noMemory({ what, message }: LostFiles): SandboxError {
  return new SandboxError("resource_exhausted", message, { data: { lost: what } });
}

const decoder = new TextDecoder();

/** Has the texts, decoded when they are asked for. */
const texts = {
  get stdoutText(): string {
    return decoder.decode((this as unknown as RunResult).stdout);
  },
  get stderrText(): string {
    return decoder.decode((this as unknown as RunResult).stderr);
  },
};
