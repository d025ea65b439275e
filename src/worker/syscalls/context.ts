// What every group of imports works with; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { PATH_BYTES } from "../../limits.ts";
import type { BlockingEntry } from "../../wire/blocking-call.ts";
import type { DeviceNode } from "../../files/nodes.ts";
import type { Clock } from "../clock.ts";
import type { DeviceCall } from "../door-device.ts";
import type { GuestMemory } from "../wasi-memory.ts";
import type { Vectors } from "../wasi-vectors.ts";
import type { Descriptor } from "./descriptor.ts";
import type { DescriptorTable } from "./descriptor-table.ts";

/** An import that never blocks. Arguments are i32 as numbers and i64 as bigints. */
// oxlint-disable-next-line typescript/no-explicit-any -- WebAssembly fixes the types, TypeScript cannot see them
export type PlainImport = (...args: any[]) => number;

/** Imports by name. */
export interface Imports {
  readonly plain: Record<string, PlainImport>;
  readonly blocking: Record<string, BlockingEntry>;
}

/** What a run gives its guest besides files and streams. The imports are made before it is known. */
export interface Surroundings {
  /** argv with argv[0]. */
  readonly args: readonly string[];
  /** `name=value` each. */
  readonly environ: readonly string[];
  readonly clock: Clock;
  /** Fills with random bytes. */
  readonly random: (bytes: Uint8Array) => void;
}

/** The state of WASI, of one run at a time. */
export interface Context {
  readonly memory: GuestMemory;
  readonly table: DescriptorTable;
  readonly vectors: Vectors;
  /** Set before the first import is called. */
  around: Surroundings;
  /** Who answers behind the devices. */
  readonly devices: Readonly<Partial<Record<DeviceNode["device"], DeviceCall>>>;
}

/** The descriptor of a number with a right, or a negative errno. */
export function descriptorWith(context: Context, fd: number, right: number): Descriptor | number {
  const descriptor = context.table.get(fd >>> 0);
  if (descriptor === undefined) return -wasi.ERRNO_BADF;
  return (descriptor.rights & right) === right ? descriptor : -descriptor.refusal(right);
}

/** Text of a path whose range has been checked, or a negative errno. */
export function pathText(context: Context, pointer: number, length: number): string | number {
  if (length > PATH_BYTES) return -wasi.ERRNO_NAMETOOLONG;
  const text = context.memory.text(pointer, length);
  if (text === undefined) return -wasi.ERRNO_ILSEQ;
  return text.includes("\0") ? -wasi.ERRNO_INVAL : text;
}

/** An unsigned 64-bit argument as a number; above 2^53 it is not exact, and every limit is far below. */
export function unsigned64(value: bigint): number {
  return Number(BigInt.asUintN(64, value));
}
