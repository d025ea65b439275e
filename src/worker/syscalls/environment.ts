// args, environ, clocks, randomness, process: what a guest asks of its surroundings; worker.

import { WASIProcExit, wasi } from "@bjorn3/browser_wasi_shim";
import type { Clock } from "../clock.ts";
import type { GuestMemory } from "../wasi-memory.ts";
import type { Context, Imports, PlainImport } from "./context.ts";

const OK = wasi.ERRNO_SUCCESS;
const NS = 1_000_000;
const encoder = new TextEncoder();

/** Imports of this group. */
export function environmentImports(context: Context): Imports {
  const { memory } = context;
  const [argsSizes, argsGet] = stringList(memory, () => context.around.args);
  const [environSizes, environGet] = stringList(memory, () => context.around.environ);
  const plain: Record<string, PlainImport> = {
    args_sizes_get: argsSizes,
    args_get: argsGet,
    environ_sizes_get: environSizes,
    environ_get: environGet,
    ...clockImports(context),
    random_get(pointer: number, length: number) {
      pointer >>>= 0;
      length >>>= 0;
      if (!memory.fits(pointer, length)) return wasi.ERRNO_FAULT;
      context.around.random(memory.bytes.subarray(pointer, pointer + length));
      return OK;
    },
    sched_yield: () => OK,
    proc_exit(code: number): never {
      throw new WASIProcExit(code >>> 0);
    },
    proc_raise(signal: number) {
      // Signal 0 only asks whether signals can be sent; there is nobody to handle any other.
      if (signal === wasi.SIGNAL_NONE) return OK;
      return signal >>> 0 > wasi.SIGNAL_SYS ? wasi.ERRNO_INVAL : wasi.ERRNO_NOTSUP;
    },
  };
  return { plain, blocking: {} };
}

/** The pair of imports that tell the sizes of a list of strings, and the strings. */
function stringList(
  memory: GuestMemory,
  texts: () => readonly string[],
): [PlainImport, PlainImport] {
  let encoded: readonly string[] | undefined;
  let items: Uint8Array[] = [];
  let size = 0;
  const encode = (): void => {
    if (encoded === texts()) return;
    encoded = texts();
    items = encoded.map((text) => encoder.encode(`${text}\0`));
    size = items.reduce((sum, item) => sum + item.length, 0);
  };
  const sizes = (count: number, bytes: number): number => {
    count >>>= 0;
    bytes >>>= 0;
    if (!memory.fits(count, 4) || !memory.fits(bytes, 4)) return wasi.ERRNO_FAULT;
    encode();
    memory.view.setUint32(count, items.length, true);
    memory.view.setUint32(bytes, size, true);
    return OK;
  };
  const get = (pointers: number, buffer: number): number => {
    pointers >>>= 0;
    buffer >>>= 0;
    encode();
    if (!memory.fits(pointers, items.length * 4) || !memory.fits(buffer, size)) {
      return wasi.ERRNO_FAULT;
    }
    let at = buffer;
    for (let i = 0; i < items.length; i++) {
      memory.view.setUint32(pointers + i * 4, at, true);
      memory.bytes.set(items[i]!, at);
      at += items[i]!.length;
    }
    return OK;
  };
  return [sizes, get];
}

function clockImports(context: Context): Record<string, PlainImport> {
  const { memory } = context;
  return {
    clock_res_get(id: number, pointer: number) {
      pointer >>>= 0;
      if (!memory.fits(pointer, 8)) return wasi.ERRNO_FAULT;
      if (id >>> 0 > wasi.CLOCKID_THREAD_CPUTIME_ID) return wasi.ERRNO_INVAL;
      memory.setU64(pointer, context.around.clock.resolution);
      return OK;
    },
    clock_time_get(id: number, _precision: bigint, pointer: number) {
      pointer >>>= 0;
      if (!memory.fits(pointer, 8)) return wasi.ERRNO_FAULT;
      const ms = timeOf(context.around.clock, id);
      if (ms === undefined) return wasi.ERRNO_INVAL;
      memory.setU64(pointer, Math.floor(ms * NS));
      return OK;
    },
  };
}

/** Milliseconds of a clock by its id; undefined for an id that does not exist. */
export function timeOf(clock: Clock, id: number): number | undefined {
  switch (id) {
    case wasi.CLOCKID_REALTIME:
      return clock.realtime();
    case wasi.CLOCKID_MONOTONIC:
      return clock.monotonic();
    case wasi.CLOCKID_PROCESS_CPUTIME_ID:
    case wasi.CLOCKID_THREAD_CPUTIME_ID:
      return clock.cpu();
    default:
      return undefined;
  }
}
