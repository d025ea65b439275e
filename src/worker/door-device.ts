// The device through which a stock interpreter calls the page: one line out, one line back; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { DeviceNode } from "../files/nodes.ts";
import { DOOR_REQUEST_BYTES, HTTP_REQUEST_BYTES } from "../limits.ts";
import type { Step } from "../wire/blocking-call.ts";
import { encodeNumber } from "../wire/messages.ts";
import type { HttpCall } from "./http-call.ts";
import { tooLongAnswer } from "./subako-http.ts";
import { Descriptor } from "./syscalls/descriptor.ts";
import { FILE_RIGHTS } from "./syscalls/rights.ts";
import type { GuestMemory } from "./wasi-memory.ts";
import type { Vectors } from "./wasi-vectors.ts";

const NEWLINE = 10;

/**
 * Asks with a line, or with the length of one that was too long to be kept; `then` gets the answer, undefined when the
 * host failed, and gives the import's value.
 */
export type DeviceCall = (
  line: Uint8Array | number,
  then: (answer: Uint8Array | undefined) => Step,
) => Step;

/** The door's device: the same frames as `host::call`. */
export const askDoor: DeviceCall = (line, then) => ({
  wait: "call",
  ...(typeof line === "number"
    ? { kind: "door_length", request: encodeNumber(line) }
    : { kind: "door", request: line }),
  borrow: true,
  resume: (answer) => then(answer.ok ? answer.bytes : undefined),
});

/** The HTTP device: the request document of `subako_http` as one line. */
export function askHttp(call: HttpCall): DeviceCall {
  return (line, then) => (typeof line === "number" ? then(tooLongAnswer(line)) : call(line, then));
}

function roomFor(bytes: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(bytes);
  } catch {
    return undefined;
  }
}

/**
 * An open device. A write that contains a newline completes a frame, calls the page and blocks; reads then give the
 * answer and a newline, after that nothing. Each descriptor has its own state.
 *
 * Seek and tell succeed with 0 and the rights say so: then buffered read-write files of the interpreters work on it,
 * and it does not count as a terminal.
 */
export class DoorDevice extends Descriptor {
  readonly #node: DeviceNode;
  readonly #ask: DeviceCall;
  readonly #limit: number;
  /** The frame so far, in a buffer that doubles. */
  #request: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Bytes of the frame so far; past the limit they are only counted. */
  #length = 0;
  #answer: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(node: DeviceNode, rights: number, ask: DeviceCall) {
    super(
      wasi.FILETYPE_CHARACTER_DEVICE,
      (rights & FILE_RIGHTS) | wasi.RIGHTS_FD_SEEK | wasi.RIGHTS_FD_TELL,
    );
    this.#node = node;
    this.#ask = ask;
    this.#limit = node.device === "door" ? DOOR_REQUEST_BYTES : HTTP_REQUEST_BYTES;
  }

  override get node(): DeviceNode {
    return this.#node;
  }

  read(memory: GuestMemory, vectors: Vectors): number {
    const count = vectors.scatter(memory, this.#answer.subarray(this.#position));
    this.#position += count;
    if (this.#position === this.#answer.length) this.#setAnswer(new Uint8Array(0));
    return count;
  }

  /** Takes bytes up to and with the first newline; the guest writes the rest again, as after any short write. */
  write(memory: GuestMemory, vectors: Vectors): Step {
    let taken = 0;
    for (let i = 0; i < vectors.count; i++) {
      const start = vectors.pointers[i]!;
      const bytes = memory.bytes.subarray(start, start + vectors.lengths[i]!);
      const newline = bytes.indexOf(NEWLINE);
      const frame = newline < 0 ? bytes : bytes.subarray(0, newline);
      // What was taken before stays taken: the guest writes the rest again.
      if (!this.#store(frame)) return taken > 0 ? taken : -wasi.ERRNO_NOMEM;
      if (newline >= 0) return this.#call(taken + newline + 1);
      taken += bytes.length;
    }
    return taken;
  }

  override seek(): number {
    return 0;
  }

  override resize(): number {
    return wasi.ERRNO_SUCCESS;
  }

  /** False, with nothing stored, when the browser has no memory for it. */
  #store(bytes: Uint8Array): boolean {
    const start = this.#length;
    const length = start + bytes.length;
    if (length > this.#limit) this.#request = new Uint8Array(0);
    else {
      if (length > this.#request.length) {
        const larger = roomFor(Math.max(length, 2 * this.#request.length));
        if (larger === undefined) return false;
        larger.set(this.#request.subarray(0, start));
        this.#request = larger;
      }
      this.#request.set(bytes, start);
    }
    this.#length = length;
    return true;
  }

  #call(taken: number): Step {
    const length = this.#length;
    const request = this.#request.subarray(0, length);
    this.#length = 0;
    this.#request = new Uint8Array(0);
    this.#setAnswer(new Uint8Array(0));
    const line = length <= this.#limit ? request : length;
    return this.#ask(line, (answer) => {
      if (!answer) return -wasi.ERRNO_IO;
      const reply = roomFor(answer.length + 1);
      if (!reply) return -wasi.ERRNO_NOMEM;
      reply.set(answer);
      reply[answer.length] = NEWLINE;
      this.#setAnswer(reply);
      return taken;
    });
  }

  #setAnswer(line: Uint8Array): void {
    this.#answer = line;
    this.#position = 0;
  }
}
