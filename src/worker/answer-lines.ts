// Counts the answers that a package has printed, to know when its stdin goes on or ends; worker.

import { PACKAGE_STDOUT_BYTES } from "../limits.ts";
import { concatenate } from "../wasm/concatenate.ts";

const NEWLINE = 10;
const decoder = new TextDecoder();

/**
 * Looks at stdout as it is written. What a line is worth is the page's to judge: everything but a notification counts
 * as an answer here, so that a package that prints something else goes on to its end.
 */
export class AnswerLines {
  /** Since the last line that was counted, and whether a newline is among them. */
  #parts: Uint8Array[] = [];
  #whole = false;
  #total = 0;
  #count = 0;

  /** Copies what it needs; the bytes go to the page next. */
  push(bytes: Uint8Array): void {
    // Past this the page has ended the call.
    if ((this.#total += bytes.length) > PACKAGE_STDOUT_BYTES) return;
    this.#parts.push(bytes.slice());
    this.#whole ||= bytes.includes(NEWLINE);
  }

  /** Answers so far. Lines are only read here, when the guest asks for more input. */
  count(): number {
    if (!this.#whole) return this.#count;
    const bytes = concatenate(this.#parts);
    const end = bytes.lastIndexOf(NEWLINE);
    this.#parts = [bytes.subarray(end + 1)];
    this.#whole = false;
    const lines = decoder.decode(bytes.subarray(0, end)).split("\n");
    for (const line of lines) if (!isNotification(line)) this.#count++;
    return this.#count;
  }
}

/** Only a line that speaks of a method is worth parsing. */
function isNotification(line: string): boolean {
  if (!line.includes('"method"')) return false;
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null && Object.hasOwn(message, "method");
  } catch {
    return false;
  }
}
