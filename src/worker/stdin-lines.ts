// Stdin of a function package: each request waits until the one before was answered, then comes the end; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { Step } from "../wire/blocking-call.ts";
import type { AnswerLines } from "./answer-lines.ts";
import { Stdin } from "./stdio.ts";
import type { Readiness } from "./syscalls/descriptor.ts";
import type { GuestMemory } from "./wasi-memory.ts";
import type { Vectors } from "./wasi-vectors.ts";

/** As long as a timer can be; what a guest waits for in vain is ended by its time limit. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Gives its lines without asking the page, so a call costs no round trip and works on pages where guests cannot block.
 * After the last answer stdin is at its end, or with `more` goes on with what the page sends.
 */
export class StdinLines extends Stdin {
  readonly #lines: readonly Uint8Array[];
  readonly #more: boolean;
  readonly #answers: AnswerLines;
  /** Lines given so far, and what is left of the last. */
  #given = 0;
  #left: Uint8Array = new Uint8Array(0);

  constructor(lines: readonly Uint8Array[], more: boolean, answers: AnswerLines) {
    super(false);
    this.#lines = lines;
    this.#more = more;
    this.#answers = answers;
  }

  override read(memory: GuestMemory, vectors: Vectors): Step {
    if (vectors.total === 0) return 0;
    const state = this.#advance();
    if (state === "page") return super.read(memory, vectors);
    if (state === "end") return 0;
    if (state === "line") {
      const count = vectors.scatter(memory, this.#left);
      this.#left = this.#left.subarray(count);
      return count;
    }
    if ((this.flags & wasi.FDFLAGS_NONBLOCK) !== 0) return -wasi.ERRNO_AGAIN;
    return { wait: "sleep", ms: LONGEST_MS, resume: () => this.read(memory, vectors) };
  }

  override readable(): Readiness {
    const state = this.#advance();
    if (state === "page") return super.readable();
    return state === "line" ? this.#left.length : state === "end" ? state : undefined;
  }

  override poll(ms: number, then: (ready: boolean) => Step): Step {
    if (this.#advance() === "page") return super.poll(ms, then);
    return { wait: "sleep", ms: Math.min(ms, LONGEST_MS), resume: () => then(false) };
  }

  /** Where the next byte comes from; `wait`: nobody knows one before the guest has answered. */
  #advance(): "line" | "page" | "end" | "wait" {
    if (this.#left.length > 0) return "line";
    if (this.#given > 0 && this.#answers.count() < this.#given) return "wait";
    const next = this.#lines[this.#given];
    if (next === undefined) return this.#more ? "page" : "end";
    this.#given++;
    this.#left = next;
    return "line";
  }
}
