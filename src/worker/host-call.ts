// The import `host::call`, the door: pointers in, a frame out to the page, its answer into guest memory; worker.
//
// Frames are opaque here. Whatever runs guest code in between (host_alloc) may move or grow the memory, so its buffer is
// taken again after it, and every range is checked before any side effect.

import { DOOR_ANSWER_BYTES, DOOR_REQUEST_BYTES } from "../limits.ts";
import type { BlockingEntry, CallAnswer, Step } from "../wire/blocking-call.ts";
import { encodeNumber } from "../wire/messages.ts";

/** No host function stands behind the door. */
const NO_HOST = -1;
/** The host failed, or the guest's own part of the exchange did. */
const FAILED = -2;

/** What the door sees of its guest. */
export interface HostCallGuest {
  memory(): WebAssembly.Memory | undefined;
  /** True when the guest exports a function of that name. */
  hasExport(name: string): boolean;
}

/** `host::call(ptr, len, out_ptr_ptr, out_len_ptr) -> i32`; `open` says whether a host function is bound. */
export function createHostCall(guest: HostCallGuest, open: boolean): BlockingEntry {
  let inDoor = false;

  const leave = (result: number): number => {
    inDoor = false;
    return result;
  };

  const run = (ptr: number, len: number, outPtr: number, outLen: number): Step => {
    if (!open) return NO_HOST;
    if (inDoor) return FAILED;
    const memory = guest.memory();
    if (!memory || !guest.hasExport("host_alloc")) return FAILED;
    const { buffer } = memory;
    const size = buffer.byteLength;
    const inRange = (at: number, bytes: number): boolean => (at >>> 0) + bytes <= size;
    if (!inRange(outPtr, 4) || !inRange(outLen, 4) || !inRange(ptr, len >>> 0)) return FAILED;

    const length = len >>> 0;
    const tooLong = length > DOOR_REQUEST_BYTES;
    inDoor = true;
    return {
      wait: "call",
      kind: tooLong ? "door_length" : "door",
      request: tooLong ? encodeNumber(length) : new Uint8Array(buffer, ptr >>> 0, length),
      borrow: true,
      resume: (answer) => place(memory, answer, outPtr >>> 0, outLen >>> 0, leave),
    };
  };
  return { run, parameters: "iiii" };
}

/** Gets room from the guest's `host_alloc`, writes the answer there, then pointer and length. */
function place(
  memory: WebAssembly.Memory,
  answer: CallAnswer,
  outPtr: number,
  outLen: number,
  leave: (result: number) => number,
): Step {
  if (!answer.ok || answer.bytes.byteLength > DOOR_ANSWER_BYTES) return leave(FAILED);
  const length = answer.bytes.byteLength;
  return {
    wait: "export",
    name: "host_alloc",
    arguments: [length],
    failed: () => leave(FAILED),
    resume: (value) => {
      if (typeof value !== "number") return leave(FAILED);
      const at = value >>> 0;
      const { buffer } = memory;
      if ((at === 0 && length > 0) || at + length > buffer.byteLength) return leave(FAILED);
      new Uint8Array(buffer, at, length).set(answer.bytes);
      const words = new DataView(buffer);
      words.setUint32(outPtr, at, true);
      words.setUint32(outLen, length, true);
      return leave(0);
    },
  };
}
