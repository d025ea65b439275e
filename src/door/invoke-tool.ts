// Asks the gate, runs the tool under its limit, and makes one outcome of whatever happens; page, worker and Node.

import type { Tool } from "../tools/tool.ts";
import { readToolError, type ToolErrorKind } from "../tools/tool-error.ts";
import type { Cancellation } from "./cancellation.ts";
import type { Deadline, Deadlines } from "../tools/deadlines.ts";

/** A call as a gate sees it. */
export interface GateCall {
  readonly name: string;
  /** As the tool will get them. */
  readonly arguments: unknown;
  readonly tool: Tool;
  /** Aborted when the run is stopped while the gate is still thinking. */
  readonly signal: AbortSignal;
}

/**
 * Asked before each call whose arguments fit. May be async, without a limit of time. It lets the call pass by
 * returning; it refuses by throwing ToolDenied or ToolError (whose message the guest reads), by throwing anything else,
 * or by returning false.
 */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a gate that returns nothing lets the call pass
export type Gate = (call: GateCall) => void | boolean | Promise<void | boolean>;

/** How a call ended, before its value is encoded. `thrown` is for the page's record. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly kind: ToolErrorKind;
      readonly message: string;
      readonly thrown?: unknown;
    };

/** Everything one call needs. */
export interface Invocation {
  readonly tool: Tool;
  readonly args: unknown;
  readonly gate: Gate | undefined;
  /** Milliseconds for the tool; Infinity for no limit. */
  readonly timeoutMs: number;
  /** When the frame came, by `performance.now()`. */
  readonly arrived: number;
  readonly deadlines: Deadlines;
  readonly cancellation: Cancellation;
}

/**
 * Runs a call to its outcome and gives what `answer` makes of that. At once when gate and tool are; always ends, and throws
 * or rejects only where `answer` throws.
 */
export function invokeTool<A>(
  invocation: Invocation,
  answer: (outcome: Outcome) => A,
): A | Promise<A> {
  if (invocation.gate === undefined) return runTool(invocation, invocation.arrived, answer);
  const asked = askGate(invocation, invocation.gate);
  const afterwards = (refusal: Outcome | undefined) =>
    refusal ? answer(refusal) : runTool(invocation, performance.now(), answer);
  return asked instanceof Promise ? asked.then(afterwards) : afterwards(asked);
}

/** Undefined when the call may pass. */
function askGate(
  invocation: Invocation,
  gate: Gate,
): Outcome | undefined | Promise<Outcome | undefined> {
  const { tool } = invocation;
  const stop = new LazyAbort();
  const refused = (thrown: unknown): Outcome => {
    const said = readToolError(thrown);
    const fallback = `${tool.name} was refused`;
    return said === undefined
      ? { ok: false, kind: "denied", message: fallback, thrown }
      : { ok: false, kind: said.kind, message: said.message || fallback, thrown };
  };
  const passed = (verdict: unknown): Outcome | undefined =>
    verdict === false
      ? { ok: false, kind: "denied", message: `${tool.name} was refused` }
      : undefined;
  const call: GateCall = {
    name: tool.name,
    arguments: invocation.args,
    tool,
    get signal() {
      return stop.signal;
    },
  };
  try {
    const verdict: unknown = gate(call);
    if (!isThenable(verdict)) return passed(verdict);
    return settle(verdict, invocation, UNLIMITED, stop, passed, refused, (outcome) => outcome);
  } catch (error) {
    return refused(error);
  }
}

/** `since` is when its time began to count, by `performance.now()`. */
function runTool<A>(
  invocation: Invocation,
  since: number,
  answer: (outcome: Outcome) => A,
): A | Promise<A> {
  const { tool, args, timeoutMs } = invocation;
  if (invocation.cancellation.cancelled) return answer(cancelled(tool));
  const stop = new LazyAbort();
  const failed = (thrown: unknown): Outcome => {
    const said = readToolError(thrown);
    return said === undefined
      ? { ok: false, kind: "tool_error", message: internalError(tool.name), thrown }
      : {
          ok: false,
          kind: said.kind,
          message: said.message || defaultMessage(tool, said.kind),
          thrown,
        };
  };
  const succeeded = (value: unknown): Outcome => ({ ok: true, value });
  const context = {
    name: tool.name,
    get signal() {
      return stop.signal;
    },
  };
  let outcome: Outcome;
  try {
    const value: unknown = tool.execute(args, context);
    if (isThenable(value)) {
      const limit = { since, ms: timeoutMs };
      return settle(value, invocation, limit, stop, succeeded, failed, answer);
    }
    outcome = succeeded(value);
  } catch (error) {
    outcome = failed(error);
  }
  return answer(outcome);
}

/** What the guest reads when a tool failed without a word of its own. */
export function internalError(name: string): string {
  return `${name} failed (internal error)`;
}

function defaultMessage(tool: Tool, kind: ToolErrorKind): string {
  return kind === "denied" ? `${tool.name} was refused` : `${tool.name} failed`;
}

function cancelled(tool: Tool): Outcome {
  return { ok: false, kind: "cancelled", message: `the run was cancelled during ${tool.name}` };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** setTimeout counts milliseconds in 31 bits; a longer limit is no limit that anyone waits for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface TimeLimit {
  readonly since: number;
  readonly ms: number;
}

const UNLIMITED: TimeLimit = { since: 0, ms: Infinity };

/**
 * The first of: the promise settles, the time is up, the run is stopped. What comes later is dropped. `done` makes the result
 * of it here: a promise that follows this one would be a good part of a short call.
 */
function settle<T, A>(
  promise: PromiseLike<unknown>,
  { tool, deadlines, cancellation }: Invocation,
  limit: TimeLimit,
  stop: LazyAbort,
  fulfilled: (value: unknown) => T,
  rejected: (thrown: unknown) => T,
  done: (outcome: T | Outcome) => A,
): Promise<A> {
  return new Promise((resolve, reject) => {
    let deadline: Deadline | undefined;
    let open = true;
    const end = (outcome: () => T | Outcome) => {
      if (!open) return;
      open = false;
      if (deadline) deadlines.delete(deadline);
      cancellation.delete(onCancel);
      try {
        resolve(done(outcome()));
      } catch (error) {
        reject(error);
      }
    };
    const onCancel = () => {
      end(() => cancelled(tool));
      stop.abort(new DOMException("the run was cancelled", "AbortError"));
    };
    cancellation.add(onCancel);
    if (limit.ms <= LONGEST_TIMER_MS) {
      deadline = deadlines.add(limit.since, limit.ms, () => {
        const message = `${tool.name} ran out of time (${limit.ms} ms)`;
        end(() => ({ ok: false, kind: "timeout", message }));
        stop.abort(new DOMException(message, "TimeoutError"));
      });
    }
    // Through a promise of our own: a foreign `then` may throw, or call back more than once.
    Promise.resolve(promise).then(
      (value) => end(() => fulfilled(value)),
      (thrown) => end(() => rejected(thrown)),
    );
  });
}

/** An AbortController made only when someone looks at the signal: most tools never do. */
class LazyAbort {
  #controller: AbortController | undefined;
  #reason: unknown;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
