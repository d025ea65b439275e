// The page's record of the calls that came through a door, with what the guest is never told; page, worker and Node.

import { RECORD_BYTES, RECORD_CALLS, RECORD_LINE_CHARACTERS } from "../limits.ts";
import { cut } from "../schema/characters.ts";
import type { ToolErrorKind } from "../tools/tool-error.ts";

/** One call. The same object is given at the start and at the end of the call, filled in between. */
export interface CallRecord {
  /** The tool's name as the guest sent it, cut to 64 characters when there is no such tool. */
  readonly name: string;
  /** The arguments as the tool got them. */
  readonly arguments: unknown;
  /** `running` until the call has ended, then `ok` or the kind of failure. */
  kind: "running" | "ok" | ToolErrorKind;
  /** What the tool returned. Absent for failures, and once the record holds 16 MiB of answers. */
  answer?: unknown;
  /** Bytes of the encoded answer. */
  answerBytes?: number;
  /** What the guest was told. */
  error?: { readonly kind: ToolErrorKind; readonly message: string };
  /** What the tool or gate really threw, for the page alone: its type and the first line of its message. */
  hostError?: { readonly type: string; readonly message: string };
  /** Milliseconds from the frame's arrival to the answer. */
  durationMs?: number;
}

/** Told of each call twice, in order: `start` before the gate is asked, `end` when the answer is known. */
export type OnCall = (call: CallRecord, phase: "start" | "end") => void;

/** The record of one door. Bounded, so that a guest cannot fill the page's memory through it. */
export class CallLog {
  readonly calls: CallRecord[];
  readonly #onCall: OnCall | undefined;
  #answerBytes = 0;

  constructor(calls: CallRecord[], onCall: OnCall | undefined) {
    this.calls = calls;
    this.#onCall = onCall;
  }

  start(name: string, args: unknown): CallRecord {
    const call: CallRecord = { name, arguments: args, kind: "running" };
    if (this.calls.length >= RECORD_CALLS) this.calls.splice(0, RECORD_CALLS / 2);
    this.calls.push(call);
    this.#tell(call, "start");
    return call;
  }

  end(call: CallRecord): void {
    this.#tell(call, "end");
  }

  /** Keeps a returned value while there is room. */
  keep(call: CallRecord, answer: unknown, bytes: number): void {
    call.answerBytes = bytes;
    this.#answerBytes += bytes;
    if (this.#answerBytes <= RECORD_BYTES) call.answer = answer;
  }

  #tell(call: CallRecord, phase: "start" | "end"): void {
    try {
      this.#onCall?.(call, phase);
    } catch (error) {
      // The page's mistake must not become the guest's: it is reported where the page's other errors are.
      (globalThis as { reportError?: (error: unknown) => void }).reportError?.(error);
    }
  }
}

/** The type and first line of something thrown, whatever it is. */
export function hostErrorOf(thrown: unknown): { type: string; message: string } {
  try {
    const type =
      typeof thrown === "object" && thrown !== null
        ? ((thrown as { constructor?: { name?: unknown } }).constructor?.name ?? "Object")
        : typeof thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const line = message.split(/[\r\n]/, 1)[0] ?? "";
    return {
      type: typeof type === "string" ? type : "unknown",
      message: cut(line, RECORD_LINE_CHARACTERS),
    };
  } catch {
    return { type: "unknown", message: "" };
  }
}
