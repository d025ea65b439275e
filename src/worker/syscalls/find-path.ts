// From a folder descriptor and a path in guest memory to what they lead to; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { lookUp, type Found, type LinkMode } from "../../files/look-up.ts";
import { pathText, type Context } from "./context.ts";
import { OpenDirectory } from "./open-directory.ts";

/** Finds what a path under a folder descriptor leads to, or a negative errno. The range has been checked. */
export function find(
  context: Context,
  fd: number,
  right: number,
  pointer: number,
  length: number,
  mode: LinkMode,
): Found | number {
  const folder = folderOf(context, fd, right);
  if (typeof folder === "number") return folder;
  const path = pathText(context, pointer, length);
  if (typeof path === "number") return path;
  const found = lookUp(folder.directory, path, mode);
  return typeof found === "number" ? -found : found;
}

/** The open folder of a descriptor number with a right, or a negative errno. */
export function folderOf(context: Context, fd: number, right: number): OpenDirectory | number {
  const descriptor = context.table.get(fd >>> 0);
  if (descriptor === undefined) return -wasi.ERRNO_BADF;
  if (!(descriptor instanceof OpenDirectory)) return -wasi.ERRNO_NOTDIR;
  return (descriptor.rights & right) === right ? descriptor : -wasi.ERRNO_NOTCAPABLE;
}
