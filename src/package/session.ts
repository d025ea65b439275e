// One life of a package's instance: requests in, answers out, and every way in which that can break; page and Node.

import { PACKAGE_EXIT_MS, PACKAGE_STDERR_BYTES, PACKAGE_STDOUT_BYTES } from "../limits.ts";
import { Deadlines, type Deadline } from "../tools/deadlines.ts";
import { LineSplitter } from "./line-splitter.ts";
import { readMessage, type JsonObject, type Message } from "./message.ts";
import { PackageCrash } from "./package-crash.ts";
import {
  judgeEnd,
  lateExit,
  notAMessage,
  quote,
  type Problem,
  type SessionState,
} from "./problem.ts";
import type { Request } from "./requests.ts";
import type { GuestRun, RunGuest } from "./run-guest.ts";
import { StderrTail } from "./stderr-tail.ts";

/** What a session is made of. */
export interface SessionParts {
  readonly runGuest: RunGuest;
  /** Asked one after the other. */
  readonly requests: readonly Request[];
  /**
   * Told each result of the last request; gives one more request, or nothing. Present only where stdin can be fed while
   * the guest runs. What it throws ends the session with that error.
   */
  readonly followUp?: (result: JsonObject) => Request | undefined;
  readonly timeoutMs: number;
  /** Told of stderr as it comes. */
  readonly onStderr?: (bytes: Uint8Array) => void;
}

/** Nearly all packages exit at once, and a timer of its own would take longer than that. */
const exits = new Deadlines();

/** Past the second, what the guest did in time may still be on its way to this thread. */
const GRACE_MS = 50;

/** What came of a session. */
export interface SessionEnd {
  /** In the order of the requests. */
  readonly results: readonly JsonObject[];
  /** The last 4 KiB of stderr, as text. */
  readonly stderr: string;
}

/**
 * Runs a fresh instance through its requests, and gives the results in their order. Everything the module did wrong
 * rejects with PackageCrash, everything else (a signal, a worker that died) with what `runGuest` rejects with.
 */
export function converse(parts: SessionParts): Promise<SessionEnd> {
  return new Session(parts).run();
}

class Session {
  readonly #parts: SessionParts;
  readonly #asked: Request[];
  readonly #results: JsonObject[] = [];
  readonly #stdout = new LineSplitter(PACKAGE_STDOUT_BYTES);
  readonly #stderr = new StderrTail(PACKAGE_STDERR_BYTES);
  #run: GuestRun | undefined;
  /** The first thing that went wrong; it kills the guest. */
  #problem: Problem | undefined;
  #failure: { readonly error: unknown } | undefined;
  #exitDeadline: Deadline | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#asked = [...parts.requests];
  }

  async run(): Promise<SessionEnd> {
    const { runGuest, requests, followUp, timeoutMs, onStderr } = this.#parts;
    this.#run = runGuest({
      lines: requests.map(({ line }) => line),
      more: followUp !== undefined,
      timeoutMs,
      onStdout: (bytes) => this.#hear(bytes),
      onStderr: (bytes) => {
        this.#stderr.push(bytes);
        onStderr?.(bytes);
      },
    });
    if (this.#over()) this.#run.kill();
    const end = await this.#run.ended.finally(() => this.#exitSeen());
    if (this.#failure) throw this.#failure.error;
    const problem = this.#problem ?? judgeEnd(end, this.#state());
    const stderr = this.#stderr.text();
    if (problem === undefined) return { results: this.#results, stderr };
    const { reason, message, ...details } = problem;
    throw new PackageCrash(reason, `the function crashed: ${message}`, { stderr, ...details });
  }

  #state(): SessionState {
    const rest = this.#stdout.rest();
    return {
      answeredAll: this.#answeredAll(),
      timeoutMs: this.#parts.timeoutMs,
      ...(rest ? { rest } : {}),
    };
  }

  #over(): boolean {
    return this.#problem !== undefined || this.#failure !== undefined;
  }

  #answeredAll(): boolean {
    return this.#results.length === this.#asked.length;
  }

  #break(problem: Problem): void {
    if (this.#over()) return;
    this.#problem = problem;
    this.#run?.kill();
  }

  #hear(bytes: Uint8Array): void {
    if (this.#over()) return;
    const fits = this.#stdout.push(bytes, (line) => {
      if (!this.#over()) this.#take(readMessage(line), line);
    });
    if (!fits) {
      this.#break({ reason: "stdout_limit", message: "it printed more than 1 MiB on stdout" });
    }
  }

  #take(message: Message, line: Uint8Array): void {
    switch (message.kind) {
      case "notification":
        return;
      case "none":
        return this.#break(notAMessage(message.problem, line));
      case "request":
        return this.#break({
          reason: "request",
          message: `it sent a request of its own (${quote(message.method)}), and nobody answers those`,
        });
      case "error":
      case "result":
        return this.#takeAnswer(message);
    }
  }

  #takeAnswer(message: Message & { kind: "error" | "result" }): void {
    const expected = this.#asked[this.#results.length]?.id;
    // A package that could not read its request answers without its id.
    if (message.kind === "error" && (message.id === expected || message.id === null)) {
      const { error } = message;
      return this.#break({
        reason: "json_rpc_error",
        message: `it answered with a JSON-RPC error: ${quote(error.message)} (${error.code})`,
        data: error,
      });
    }
    if (message.kind === "error" || message.id !== expected) {
      const again = this.#asked.some(({ id }) => id === message.id);
      const which = again ? "answered twice, or out of turn" : "it was not asked";
      return this.#break({
        reason: "wrong_id",
        message: `it answered an id that ${again ? "was " : ""}${which} (${quote(String(message.id))})`,
        data: { id: message.id },
      });
    }
    this.#takeResult(message.result);
  }

  #takeResult(result: JsonObject): void {
    const type = Object.hasOwn(result, "resultType") ? result["resultType"] : "complete";
    if (type !== "complete") {
      return this.#break({
        reason: "result_type",
        message: `its result is of the type ${quote(String(type))}, not complete`,
        data: { resultType: type },
      });
    }
    this.#results.push(result);
    if (!this.#answeredAll()) return;
    try {
      const next = this.#parts.followUp?.(result);
      if (next === undefined) return this.#awaitExit();
      this.#asked.push(next);
      this.#run?.send(next.line);
    } catch (error) {
      this.#failure = { error };
      this.#run?.kill();
    }
  }

  /** Stdin is at its end now. */
  #awaitExit(): void {
    if (this.#parts.followUp) this.#run?.endInput();
    this.#exitWithin(PACKAGE_EXIT_MS, () =>
      this.#exitWithin(GRACE_MS, () => this.#break(lateExit())),
    );
  }

  #exitWithin(ms: number, passed: () => void): void {
    this.#exitDeadline = exits.add(performance.now(), ms, passed);
  }

  #exitSeen(): void {
    if (this.#exitDeadline) exits.delete(this.#exitDeadline);
  }
}
