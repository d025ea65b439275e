// Counts the answers that a package has printed, to know when its stdin goes on or ends; worker.

import { PACKAGE_STDOUT_BYTES } from "../limits.ts";

/** One for all guests, which come one after the other: making one takes as long as a small guest's output. */
const decoder = new TextDecoder();

/**
 * Looks at stdout as it is written. What a line is worth is the page's to judge: everything but a notification counts
 * as an answer here, so that a package that prints something else goes on to its end.
 */
export class AnswerLines {
  #text = "";
  #total = 0;
  #count = 0;

  constructor() {
    decoder.decode(); // ends what a guest before left in the middle of a character
  }

  /** Copies what it needs; the bytes go to the page next. */
  push(bytes: Uint8Array): void {
    // Past this the page has ended the call.
    if ((this.#total += bytes.length) > PACKAGE_STDOUT_BYTES) return;
    this.#text += decoder.decode(bytes, { stream: true });
  }

  /** Answers so far. Lines are only read here, when the guest asks for more input. */
  count(): number {
    const lines = this.#text.split("\n");
    this.#text = lines.pop()!;
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
