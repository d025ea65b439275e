// The worker's half of one HTTP request: asks the page, serves it the guest's files meanwhile; worker.

import {
  decodeHttpNeed,
  encodeHttpTurn,
  type HttpFileRefusal,
  type HttpNeed,
  type HttpTurn,
} from "../wire/http-frames.ts";
import type { CallAnswer, Step } from "../wire/blocking-call.ts";

/**
 * The guest's files, for bodies and output. Each operation hands its result on to `then` and returns what `then`
 * returns, so one that has to block itself returns a Pending that resumes there. A refusal is a value.
 */
export interface GuestHttpFiles {
  openInput(path: string, then: (opened: GuestHttpInput | HttpFileRefusal) => Step): Step;
  /** Decides path and room. Until `commit` nothing is seen at the path. */
  openOutput(path: string, then: (opened: GuestHttpOutput | HttpFileRefusal) => Step): Step;
}

/** A file of the guest that is being sent. */
export interface GuestHttpInput {
  /** Bytes. */
  readonly size: number;
  /** The next bytes, none at the end. They are copied before anything else runs. */
  read(maxBytes: number, then: (part: Uint8Array | HttpFileRefusal) => Step): Step;
  close(): void;
}

/** A file of the guest that an answer is saved to. `commit` or `discard` ends it. */
export interface GuestHttpOutput {
  /** Appends a copy of the bytes. */
  write(bytes: Uint8Array, then: (refused?: HttpFileRefusal) => Step): Step;
  commit(then: (refused?: HttpFileRefusal) => Step): Step;
  discard(): void;
}

/** Asks with a request document and blocks; `then` gets the answer document and gives the import's value. */
export type HttpCall = (document: Uint8Array, then: (answer: Uint8Array) => Step) => Step;

/** `enabled`: the page answers; without it no host is allowed, and the page is not asked. */
export function createHttpCall(options: {
  readonly enabled: boolean;
  readonly files?: GuestHttpFiles;
}): HttpCall {
  return (document, then) => {
    if (options.enabled)
      return new HttpSeries(options.files, then).say({ turn: "start", document });
    return then(errorAnswer("host_not_allowed", "the page allows this run no host"));
  };
}

/** An error document, for what the worker answers by itself. */
export function errorAnswer(kind: string, message: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ error: { kind, message } }));
}

/** The series of blocking calls of one request. */
class HttpSeries {
  readonly #files: GuestHttpFiles | undefined;
  readonly #answered: (answer: Uint8Array) => Step;
  #input: GuestHttpInput | undefined;
  #output: GuestHttpOutput | undefined;

  constructor(files: GuestHttpFiles | undefined, answered: (answer: Uint8Array) => Step) {
    this.#files = files;
    this.#answered = answered;
  }

  say(turn: HttpTurn): Step {
    return {
      wait: "call",
      kind: "http",
      request: encodeHttpTurn(turn),
      resume: (answer) => this.#heard(answer),
    };
  }

  #heard(answer: CallAnswer): Step {
    let need: HttpNeed;
    try {
      if (!answer.ok) throw new Error("the page failed");
      need = decodeHttpNeed(answer.bytes);
    } catch {
      return this.#end(errorAnswer("abi", "the page's half of HTTP failed"));
    }
    if (need.need === "answer") return this.#end(need.document);
    return this.#serve(need);
  }

  /** Both files are let go of here, whatever the page forgot. */
  #end(answer: Uint8Array): Step {
    this.#closeInput();
    this.#discardOutput();
    return this.#answered(answer);
  }

  #serve(need: Exclude<HttpNeed, { need: "answer" }>): Step {
    const settled = (refused?: HttpFileRefusal): Step =>
      this.say(refused ? { turn: "failed", refusal: refused } : { turn: "done" });
    switch (need.need) {
      case "openInput":
        return this.#openInput(need.path);
      case "readInput":
        if (!this.#input) return settled("failed");
        return this.#input.read(need.maxBytes, (part) =>
          typeof part === "string" ? settled(part) : this.say({ turn: "part", bytes: part }),
        );
      case "closeInput":
        this.#closeInput();
        return settled();
      case "openOutput":
        return this.#openOutput(need.path, settled);
      case "writeOutput":
        return this.#output ? this.#output.write(need.bytes, settled) : settled("failed");
      case "commitOutput":
        return this.#commit(settled);
      case "discardOutput":
        this.#discardOutput();
        return settled();
      default:
        return need satisfies never;
    }
  }

  #openInput(path: string): Step {
    this.#closeInput();
    const opened = (input: GuestHttpInput | HttpFileRefusal): Step => {
      if (typeof input === "string") return this.say({ turn: "failed", refusal: input });
      this.#input = input;
      return this.say({ turn: "size", bytes: input.size });
    };
    return this.#files ? this.#files.openInput(path, opened) : opened("bad_path");
  }

  #openOutput(path: string, settled: (refused?: HttpFileRefusal) => Step): Step {
    this.#discardOutput();
    const opened = (output: GuestHttpOutput | HttpFileRefusal): Step => {
      if (typeof output === "string") return settled(output);
      this.#output = output;
      return settled();
    };
    return this.#files ? this.#files.openOutput(path, opened) : opened("bad_path");
  }

  /** A commit that was refused leaves the output open, to be discarded. */
  #commit(settled: (refused?: HttpFileRefusal) => Step): Step {
    if (!this.#output) return settled("failed");
    return this.#output.commit((refused) => {
      if (!refused) this.#output = undefined;
      return settled(refused);
    });
  }

  #closeInput(): void {
    const input = this.#input;
    this.#input = undefined;
    input?.close();
  }

  #discardOutput(): void {
    const output = this.#output;
    this.#output = undefined;
    output?.discard();
  }
}
