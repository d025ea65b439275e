// Counts the answers that a package has printed, to know when its stdin goes on or ends; worker.

import { PACKAGE_STDOUT_BYTES } from "../limits.ts";

const NEWLINE = 10;
const FIRST_BYTES = 1024;

/**
 * Looks at stdout as it is written. What a line is worth is the page's to judge: everything but a notification counts
 * as an answer here, so that a package that prints something else goes on to its end.
 */
export class AnswerLines {
  #kept = new Uint8Array(FIRST_BYTES);
  #length = 0;
  #total = 0;
  #count = 0;

  /** Copies what it needs; the bytes go to the page next. */
  push(bytes: Uint8Array): void {
    // Past this the page has ended the call.
    if ((this.#total += bytes.length) > PACKAGE_STDOUT_BYTES) return;
    const needed = this.#length + bytes.length;
    if (needed > this.#kept.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#kept.length));
      larger.set(this.#kept.subarray(0, this.#length));
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#length);
    this.#length = needed;
  }

  /** Answers so far. Lines are only read here, when the guest asks for more input. */
  count(): number {
    const kept = this.#kept.subarray(0, this.#length);
    let from = 0;
    for (let end = kept.indexOf(NEWLINE); end >= 0; end = kept.indexOf(NEWLINE, from)) {
      if (!isNotification(kept.subarray(from, end))) this.#count++;
      from = end + 1;
    }
    this.#kept.copyWithin(0, from, this.#length);
    this.#length -= from;
    return this.#count;
  }
}

/** Only a line that speaks of a method is worth parsing. */
function isNotification(line: Uint8Array): boolean {
  const text = new TextDecoder().decode(line);
  if (!text.includes('"method"')) return false;
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null && Object.hasOwn(message, "method");
  } catch {
    return false;
  }
}
