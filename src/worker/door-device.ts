// The device through which a stock interpreter calls the page: one line out, one line back; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { DeviceNode } from "../files/nodes.ts";
import { DOOR_REQUEST_BYTES, HTTP_REQUEST_BYTES } from "../limits.ts";
import type { CallAnswer, Step } from "../wire/blocking-call.ts";
import { encodeNumber } from "../wire/messages.ts";
import { Descriptor } from "./syscalls/descriptor.ts";
import { FILE_RIGHTS } from "./syscalls/rights.ts";
import type { GuestMemory } from "./wasi-memory.ts";
import type { Vectors } from "./wasi-vectors.ts";

const NEWLINE = 10;

/**
 * An open device. A write that contains a newline completes a frame, calls the page and blocks; reads then give the
 * answer and a newline, after that nothing. Each descriptor has its own state.
 *
 * Seek and tell succeed with 0 and the rights say so: then buffered read-write files of the interpreters work on it,
 * and it does not count as a terminal.
 */
export class DoorDevice extends Descriptor {
  readonly #node: DeviceNode;
  readonly #limit: number;
  /** The frame so far, in a buffer that doubles. */
  #request: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Bytes of the frame so far; past the limit they are only counted. */
  #length = 0;
  #answer: Uint8Array = new Uint8Array(0);
  #position = 0;

  constructor(node: DeviceNode, rights: number) {
    super(
      wasi.FILETYPE_CHARACTER_DEVICE,
      (rights & FILE_RIGHTS) | wasi.RIGHTS_FD_SEEK | wasi.RIGHTS_FD_TELL,
    );
    this.#node = node;
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
      if (newline < 0) {
        this.#store(bytes);
        taken += bytes.length;
        continue;
      }
      this.#store(bytes.subarray(0, newline));
      return this.#call(taken + newline + 1);
    }
    return taken;
  }

  override seek(): number {
    return 0;
  }

  override resize(): number {
    return wasi.ERRNO_SUCCESS;
  }

  #store(bytes: Uint8Array): void {
    const start = this.#length;
    this.#length += bytes.length;
    if (this.#length > this.#limit) {
      this.#request = new Uint8Array(0);
      return;
    }
    if (this.#length > this.#request.length) {
      const larger = new Uint8Array(Math.max(this.#length, 2 * this.#request.length));
      larger.set(this.#request.subarray(0, start));
      this.#request = larger;
    }
    this.#request.set(bytes, start);
  }

  #call(taken: number): Step {
    const length = this.#length;
    const request = this.#request.subarray(0, length);
    this.#length = 0;
    this.#request = new Uint8Array(0);
    this.#setAnswer(new Uint8Array(0));
    const { device } = this.#node;
    const resume = (answer: CallAnswer): Step => {
      if (!answer.ok) return -wasi.ERRNO_IO;
      const line = new Uint8Array(answer.bytes.length + 1);
      line.set(answer.bytes);
      line[answer.bytes.length] = NEWLINE;
      this.#setAnswer(line);
      return taken;
    };
    if (length <= this.#limit) {
      return { wait: "call", kind: device, request, borrow: true, resume };
    }
    if (device === "http") return -wasi.ERRNO_MSGSIZE;
    return { wait: "call", kind: "door_length", request: encodeNumber(length), resume };
  }

  #setAnswer(line: Uint8Array): void {
    this.#answer = line;
    this.#position = 0;
  }
}
