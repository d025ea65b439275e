// What broke a session, in words and as a reason; and what the end of a guest says about it; anywhere.

import { PACKAGE_EXIT_MS } from "../limits.ts";
import { readMessage } from "./message.ts";
import type { CrashReason } from "./package-crash.ts";
import type { GuestEnd } from "./run-guest.ts";

/** Something that broke a session. */
export interface Problem {
  readonly reason: CrashReason;
  /** Goes on from "the function crashed: ". */
  readonly message: string;
  readonly exitCode?: number;
  readonly data?: unknown;
}

/** How far a session was when its guest ended. */
export interface SessionState {
  readonly answeredAll: boolean;
  readonly timeoutMs: number;
  /** What came on stdout after the last newline. */
  readonly rest?: Uint8Array;
}

/** Bytes of a wrong line that a message repeats. */
const ECHO_BYTES = 64;
/** Characters of a guest's own text that a message repeats. */
const ECHO_CHARACTERS = 200;

/** What is wrong with how the guest ended, if anything. */
export function judgeEnd(end: GuestEnd, state: SessionState): Problem | undefined {
  switch (end.status) {
    case "exited":
      return judgeExit(end.exitCode, state);
    case "trapped":
      return {
        reason: "trapped",
        message: `it trapped: ${end.message || end.reason}`,
        data: { trap: end.reason },
      };
    case "out_of_memory":
      return { reason: "out_of_memory", message: `it ran out of memory: ${end.message}` };
    case "timeout":
      return { reason: "timeout", message: timeoutMessage(state) };
    default: // killed: the session only does that with a problem at hand, or late
      return lateExit();
  }
}

function judgeExit(exitCode: number, { rest, answeredAll }: SessionState): Problem | undefined {
  const message = rest && readMessage(rest);
  if (rest && message?.kind === "none") return { ...notAMessage(message.problem, rest), exitCode };
  if (!answeredAll) {
    const unended = rest ? "; its last line has no newline at the end" : "";
    const text = `it ended with code ${exitCode} before it answered${unended}`;
    return { reason: "exited_early", message: text, exitCode };
  }
  if (exitCode !== 0) {
    return { reason: "exit_code", message: `it ended with code ${exitCode}`, exitCode };
  }
  return rest && { ...notAMessage("has no newline at its end", rest), exitCode };
}

function timeoutMessage({ answeredAll, timeoutMs }: SessionState): string {
  const text = `it did not end within ${timeoutMs} ms`;
  if (answeredAll) return text;
  return `${text} and had not answered (stdin stays open until it has, so reading to its end waits for ever)`;
}

/** The guest outlived the end of its stdin. */
export function lateExit(): Problem {
  return {
    reason: "late_exit",
    message: `it did not end within ${PACKAGE_EXIT_MS} ms of the end of stdin`,
  };
}

/** A line on stdout is no message; `problem` finishes "the line …". */
export function notAMessage(problem: string, line: Uint8Array): Problem {
  const start = new TextDecoder().decode(line.subarray(0, ECHO_BYTES));
  const text = quote(start) + (line.length > ECHO_BYTES ? "…" : "");
  return {
    reason: "not_a_message",
    message: `a line on its stdout ${problem}: ${text}`,
    data: { problem, line: start },
  };
}

/** A guest's text inside a message, cut. */
export function quote(text: string): string {
  return JSON.stringify(
    text.length > ECHO_CHARACTERS ? `${text.slice(0, ECHO_CHARACTERS)}…` : text,
  );
}
