// The imports of `subako_http`: a JSON request from guest memory, its answer held until the guest reads it; worker.

import { HTTP_REQUEST_BYTES } from "../limits.ts";
import type { BlockingImport, Step } from "../wire/blocking-call.ts";
import { createHttpCall, errorAnswer, type GuestHttpFiles, type HttpCall } from "./http-call.ts";

/** A range outside the module's memory. */
const OUT_OF_BOUNDS = -1;
/** No answer held. */
const NOTHING_HELD = -2;
/** A length that does not match. */
const LENGTH_MISMATCH = -3;

/** The two imports, and the way to ask without them. */
export interface SubakoHttp {
  /** `request(ptr, len) -> len`: sends, blocks, holds the answer. -1, or the held answer's length. */
  readonly request: BlockingImport;
  /** `read_response(ptr, len) -> 0`: copies the held answer and forgets it. -1, -2 or -3 keep it. */
  readonly read_response: (ptr: number, len: number) => number;
  /** The same call for who has the request's bytes already, such as the device /dev/http. */
  readonly call: HttpCall;
}

/**
 * Makes the imports of one run. The range is checked first, then whether an answer is held, then its length. A request
 * over 8 MiB is judged by its length and never copied. A request that returns -1 keeps the answer that was held.
 *
 * @example
 * const http = createSubakoHttp({ memory: () => instance.exports.memory, enabled: true, files });
 * // imports: { subako_http: { request: blocking(http.request), read_response: http.read_response } }
 */
export function createSubakoHttp(options: {
  readonly memory: () => WebAssembly.Memory | undefined;
  readonly enabled: boolean;
  readonly files?: GuestHttpFiles;
}): SubakoHttp {
  const { memory } = options;
  const call = createHttpCall(options);
  let held: Uint8Array | undefined;

  const hold = (answer: Uint8Array): Step => {
    held = answer;
    return answer.byteLength;
  };

  const range = (ptr: number, len: number): Uint8Array | undefined => {
    const buffer = memory()?.buffer;
    const at = ptr >>> 0;
    const bytes = len >>> 0;
    if (!buffer || at + bytes > buffer.byteLength) return undefined;
    return new Uint8Array(buffer, at, bytes);
  };

  return {
    call,
    request(ptr: number, len: number): Step {
      const document = range(ptr, len);
      if (!document) return OUT_OF_BOUNDS;
      if (document.byteLength > HTTP_REQUEST_BYTES) return hold(tooLongAnswer(document.byteLength));
      // The frame that goes out is a copy.
      return call(document, hold);
    },
    read_response(ptr, len) {
      const target = range(ptr, len);
      if (!target) return OUT_OF_BOUNDS;
      if (!held) return NOTHING_HELD;
      if (target.byteLength !== held.byteLength) return LENGTH_MISMATCH;
      target.set(held);
      held = undefined;
      return 0;
    },
  };
}

/** What a request that was too long to be copied is answered. */
export function tooLongAnswer(bytes: number): Uint8Array<ArrayBuffer> {
  return errorAnswer(
    "invalid_request",
    `the request has ${bytes} bytes; at most ${HTTP_REQUEST_BYTES} are read; send a large body as a file`,
  );
}
