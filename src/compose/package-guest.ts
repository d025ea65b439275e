// Runs a package's module in a sandbox, as the session of a package asks for it; page and Node.

import { SandboxError } from "../errors.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import type { GuestEnd, GuestRun, GuestStart, RunGuest } from "../package/run-guest.ts";
import { PACKAGE_RUN } from "../page/package-run.ts";
import type { RunOptions } from "../page/run-options.ts";
import type { RunResult } from "../page/run-result.ts";
import type { Sandbox } from "../page/sandbox.ts";
import type { LeftTree } from "../wire/messages.ts";

/** A guest that trapped with less than this part of its memory left has run out of it. */
const NO_MEMORY_LEFT = 1 / 8;

/** Where and how one instance runs. */
export interface GuestPlace {
  readonly sandbox: Sandbox;
  /** The only entry of argv. */
  readonly name: string;
  readonly preopens: readonly PreopenSpec[];
  readonly network?: RunOptions["network"];
  readonly http?: RunOptions["http"];
  readonly signal?: AbortSignal;
  /** Told of the writable trees of a guest that ended with code 0. */
  readonly onTrees?: (trees: readonly LeftTree[]) => void;
}

/** What a session is given to start its guest with. */
export function guestRunner(place: GuestPlace): RunGuest {
  return (start) => runGuest(place, start);
}

function runGuest(place: GuestPlace, start: GuestStart): GuestRun {
  const { lines, more, timeoutMs } = start;
  const { sandbox, name, preopens, network, http, signal } = place;
  let failure: { readonly error: unknown } | undefined;
  const hear = (stream: 1 | 2, bytes: Uint8Array): void => {
    if (failure) return;
    try {
      if (stream === 1) start.onStdout(bytes);
      else start.onStderr(bytes);
    } catch (error) {
      failure = { error };
      run.kill();
    }
  };
  const run = sandbox.run({
    [PACKAGE_RUN]: { lines, more, preopens, hear },
    argv0: name,
    guestHalves: false,
    limits: { timeoutMs, wallMs: timeoutMs },
    ...(network ? { network } : {}),
    ...(http ? { http } : {}),
    ...(signal ? { signal } : {}),
  });
  const input = run.stdin?.getWriter();
  // A guest that ended has no use for more; its end is told by the result.
  const ignore = (): void => {};
  return {
    send: (line) => void input?.write(line).catch(ignore),
    endInput: () => void input?.close().catch(ignore),
    kill: () => run.kill(),
    ended: run.result.then((result) => {
      if (failure) throw failure.error;
      const end = endOf(result, place);
      const trees = result[PACKAGE_RUN]?.trees;
      if (trees) place.onTrees?.(trees);
      return end;
    }),
  };
}

function endOf(result: RunResult, { sandbox, signal }: GuestPlace): GuestEnd {
  const { status, reason, exitCode, error } = result;
  switch (status) {
    case "exited":
      return { status, exitCode: exitCode ?? 0 };
    case "timeout":
      return { status };
    case "trapped":
      return (
        memoryEnd(result, sandbox) ?? {
          status,
          reason: reason ?? "unknown",
          message: error?.message ?? "",
        }
      );
    case "unsupported":
      throw error!;
    default:
      if (reason === "kill") return { status: "killed" };
      if (reason === "closed") throw new SandboxError("closed", "the package is closed");
      throw new SandboxError("aborted", "the call was aborted", {
        cause: signal?.reason as unknown,
      });
  }
}

/** A trap that comes of a failed memory.grow looks like any other; what shows is that there was nothing left to grow. */
function memoryEnd(result: RunResult, { memoryBytes: most }: Sandbox): GuestEnd | undefined {
  const used = result[PACKAGE_RUN]?.memoryBytes;
  if (used === undefined || most === undefined) return undefined;
  if (most - used > most * NO_MEMORY_LEFT) return undefined;
  const text = `it trapped (${result.reason ?? "unknown"}) with ${used} of ${most} bytes of memory in use`;
  return { status: "out_of_memory", message: text };
}
