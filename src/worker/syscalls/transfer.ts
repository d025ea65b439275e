// Reading, writing, seeking and listing; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { Step } from "../../wire/blocking-call.ts";
import type { Context, Imports } from "./context.ts";
import { descriptorWith, unsigned64 } from "./context.ts";
import type { Descriptor } from "./descriptor.ts";
import { OpenDirectory } from "./open-directory.ts";
import { settle } from "./step.ts";

const OK = wasi.ERRNO_SUCCESS;

/** Imports of this group. */
export function transferImports(context: Context): Imports {
  return {
    plain: placeImports(context),
    blocking: { ...streamImports(context), ...offsetImports(context) },
  };
}

/** Checks the iovecs and the result's place; gives an errno. */
function prepare(context: Context, iovs: number, count: number, result: number): number {
  const error = context.vectors.parse(context.memory, iovs, count);
  if (error === wasi.ERRNO_FAULT) return error;
  return context.memory.fits(result, 4) ? error : wasi.ERRNO_FAULT;
}

/** Writes the number of bytes moved, or gives the errno; now, or after a wait. */
function finish(context: Context, result: number, step: Step): Step {
  if (typeof step === "number") return tell(context, result, step);
  return settle(step, (value) => tell(context, result, value));
}

function tell({ memory }: Context, result: number, value: number): number {
  if (value < 0) return -value;
  // Memory may have grown while the guest waited.
  memory.fits(result, 4);
  memory.view.setUint32(result, value, true);
  return OK;
}

function streamImports(context: Context): Imports["blocking"] {
  const { memory, vectors } = context;
  return {
    fd_read: {
      parameters: "iiii",
      run(fd: number, iovs: number, count: number, result: number): Step {
        result >>>= 0;
        const error = prepare(context, iovs >>> 0, count >>> 0, result);
        if (error !== OK) return error;
        const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_READ);
        if (typeof descriptor === "number") return -descriptor;
        return finish(context, result, descriptor.read(memory, vectors));
      },
    },
    fd_write: {
      parameters: "iiii",
      run(fd: number, iovs: number, count: number, result: number): Step {
        result >>>= 0;
        const error = prepare(context, iovs >>> 0, count >>> 0, result);
        if (error !== OK) return error;
        const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_WRITE);
        if (typeof descriptor === "number") return -descriptor;
        return finish(context, result, descriptor.write(memory, vectors));
      },
    },
  };
}

function offsetImports(context: Context): Imports["blocking"] {
  const { memory, vectors } = context;
  const at =
    (right: number, move: (descriptor: Descriptor, offset: number) => Step) =>
    (fd: number, iovs: number, count: number, offset: bigint, result: number): Step => {
      result >>>= 0;
      const error = prepare(context, iovs >>> 0, count >>> 0, result);
      if (error !== OK) return error;
      const descriptor = descriptorWith(context, fd, right);
      if (typeof descriptor === "number") return -descriptor;
      // Offsets are signed in the systems that programs are written for.
      if (offset < 0n) return wasi.ERRNO_INVAL;
      return finish(context, result, move(descriptor, unsigned64(offset)));
    };
  return {
    fd_pread: {
      parameters: "iiiIi",
      run: at(wasi.RIGHTS_FD_READ, (descriptor, offset) =>
        descriptor.readAt(memory, vectors, offset),
      ),
    },
    fd_pwrite: {
      parameters: "iiiIi",
      run: at(wasi.RIGHTS_FD_WRITE, (descriptor, offset) =>
        descriptor.writeAt(memory, vectors, offset),
      ),
    },
  };
}

function placeImports(context: Context): Imports["plain"] {
  const { memory, table } = context;
  const seek = (
    fd: number,
    offset: number,
    whence: number,
    right: number,
    result: number,
  ): number => {
    if (!memory.fits(result, 8)) return wasi.ERRNO_FAULT;
    const descriptor = table.get(fd >>> 0);
    if (descriptor === undefined) return wasi.ERRNO_BADF;
    if ((descriptor.rights & right) === 0) return descriptor.refusal(right);
    const position = descriptor.seek(offset, whence);
    if (position < 0) return -position;
    memory.setU64(result, position);
    return OK;
  };
  return {
    fd_seek(fd: number, offset: bigint, whence: number, result: number) {
      const still = offset === 0n && whence === wasi.WHENCE_CUR;
      const right = still ? wasi.RIGHTS_FD_SEEK | wasi.RIGHTS_FD_TELL : wasi.RIGHTS_FD_SEEK;
      return seek(fd, Number(offset), whence, right, result >>> 0);
    },
    fd_tell: (fd: number, result: number) =>
      seek(fd, 0, wasi.WHENCE_CUR, wasi.RIGHTS_FD_TELL, result >>> 0),
    fd_readdir(fd: number, buffer: number, length: number, cookie: bigint, result: number) {
      buffer >>>= 0;
      length >>>= 0;
      result >>>= 0;
      if (!memory.fits(buffer, length) || !memory.fits(result, 4)) return wasi.ERRNO_FAULT;
      const descriptor = table.get(fd >>> 0);
      if (descriptor === undefined) return wasi.ERRNO_BADF;
      if (!(descriptor instanceof OpenDirectory)) return wasi.ERRNO_NOTDIR;
      if ((descriptor.rights & wasi.RIGHTS_FD_READDIR) === 0) return wasi.ERRNO_NOTCAPABLE;
      const used = descriptor.list(memory, buffer, length, unsigned64(cookie));
      memory.view.setUint32(result, used, true);
      return OK;
    },
  };
}
