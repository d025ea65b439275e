// The filestat record, and the setting of times; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { FileNode, type Node, type Time } from "../../files/nodes.ts";
import type { GuestMemory } from "../wasi-memory.ts";

/** Size of a filestat in guest memory. */
export const FILESTAT_BYTES = 64;
const NS = 1_000_000;

/** Writes what `stat` shows of a node; the range has been checked. A stream has a kind and one name, nothing else. */
export function writeStat(
  memory: GuestMemory,
  pointer: number,
  filetype: number,
  node: Node | undefined,
): void {
  memory.bytes.fill(0, pointer, pointer + FILESTAT_BYTES);
  memory.view.setUint8(pointer + 16, filetype);
  memory.setU64(pointer + 24, node === undefined ? 1 : node.links);
  if (node === undefined) return;
  memory.setU64(pointer, node.tree.device);
  memory.setU64(pointer + 8, node.inode);
  memory.setU64(pointer + 32, node.size);
  writeTime(memory, pointer + 40, node.accessed);
  writeTime(memory, pointer + 48, node.modified);
  writeTime(memory, pointer + 56, node.changed);
}

function writeTime(memory: GuestMemory, pointer: number, time: Time): void {
  if (typeof time === "bigint") memory.view.setBigUint64(pointer, time, true);
  else memory.setU64(pointer, Math.floor(time * NS));
}

/** utimes; gives an errno. */
export function setTimes(node: Node, accessed: bigint, modified: bigint, flags: number): number {
  const access = flags & (wasi.FSTFLAGS_ATIM | wasi.FSTFLAGS_ATIM_NOW);
  const modify = flags & (wasi.FSTFLAGS_MTIM | wasi.FSTFLAGS_MTIM_NOW);
  const twice =
    access === (wasi.FSTFLAGS_ATIM | wasi.FSTFLAGS_ATIM_NOW) ||
    modify === (wasi.FSTFLAGS_MTIM | wasi.FSTFLAGS_MTIM_NOW);
  if (twice || (flags & ~(access | modify)) !== 0) return wasi.ERRNO_INVAL;
  if (node.tree.readOnly) return wasi.ERRNO_ROFS;
  const now = node.tree.now();
  if (access === wasi.FSTFLAGS_ATIM) node.accessed = BigInt.asUintN(64, accessed);
  else if (access !== 0) node.accessed = now;
  if (modify === wasi.FSTFLAGS_MTIM) node.modified = BigInt.asUintN(64, modified);
  else if (modify !== 0) node.modified = now;
  if (access !== 0 && node instanceof FileNode) node.fresh = true;
  node.changed = now;
  return wasi.ERRNO_SUCCESS;
}
