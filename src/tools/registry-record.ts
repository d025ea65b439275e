// A registry's record of calls; page, worker and Node.

import { RECORD_CALLS } from "../limits.ts";
import type { ToolResultEnvelope } from "./envelope.ts";

/** One call. The same object is given at its start and its end, filled in between. */
export interface RegistryCall {
  /** The name that the caller used. */
  readonly name: string;
  /** As the tool got them. */
  arguments: unknown;
  /** The provider's name; absent while nobody is known to own the tool. */
  provider?: string;
  /** `running`, then the envelope's status, or `denied` where a policy, a hook or `ask` refused. */
  status: string;
  /** Of a failure: the envelope's class and message. */
  error?: { readonly type: string; readonly message: string };
  /** Milliseconds since the page was opened. */
  readonly startedAt: number;
  durationMs?: number;
}

/** The record of one registry; the oldest calls go first. */
export class RegistryRecord {
  readonly calls: RegistryCall[] = [];
  readonly #onCall: ((call: RegistryCall, phase: "start" | "end") => void) | undefined;

  constructor(onCall: ((call: RegistryCall, phase: "start" | "end") => void) | undefined) {
    this.#onCall = onCall;
  }

  start(name: string, args: unknown): RegistryCall {
    const call = { name, arguments: args, status: "running", startedAt: performance.now() };
    if (this.calls.length >= RECORD_CALLS) this.calls.splice(0, RECORD_CALLS / 2);
    this.calls.push(call);
    this.#tell(call, "start");
    return call;
  }

  end(call: RegistryCall, result: ToolResultEnvelope): void {
    call.durationMs = performance.now() - call.startedAt;
    call.status = result.type === "ToolDenied" ? "denied" : result.status;
    if (result.is_error) {
      call.error = { type: result.type ?? "ToolError", message: result.error ?? "" };
    }
    this.#tell(call, "end");
  }

  #tell(call: RegistryCall, phase: "start" | "end"): void {
    try {
      this.#onCall?.(call, phase);
    } catch (error) {
      // A listener's mistake must not become the caller's: it is reported where the page's other errors are.
      (globalThis as { reportError?: (error: unknown) => void }).reportError?.(error);
    }
  }
}
