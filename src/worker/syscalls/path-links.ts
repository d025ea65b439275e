// Imports that take two paths, or read a link: rename, hard links, symbolic links; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { makeHardLink, makeLink, rename } from "../../files/change.ts";
import { DirectoryNode } from "../../files/directory.ts";
import { LinkNode } from "../../files/nodes.ts";
import type { Context, PlainImport } from "./context.ts";
import { pathText } from "./context.ts";
import { find, folderOf } from "./find-path.ts";

const OK = wasi.ERRNO_SUCCESS;
const encoder = new TextEncoder();

/** Imports of this group. */
export function linkImports(context: Context): Record<string, PlainImport> {
  return { ...nameImports(context), ...symbolicImports(context) };
}

/** Two names of one thing, or one thing from name to name. */
function nameImports(context: Context): Record<string, PlainImport> {
  return {
    path_rename(
      fd: number,
      from: number,
      fromLength: number,
      toFd: number,
      to: number,
      toLength: number,
    ) {
      return twoPaths(context, from, fromLength, to, toLength, () => {
        const source = find(
          context,
          fd,
          wasi.RIGHTS_PATH_RENAME_SOURCE,
          from >>> 0,
          fromLength >>> 0,
          "entry",
        );
        if (typeof source === "number") return -source;
        const target = find(
          context,
          toFd,
          wasi.RIGHTS_PATH_RENAME_TARGET,
          to >>> 0,
          toLength >>> 0,
          "entry",
        );
        return typeof target === "number" ? -target : rename(source, target);
      });
    },
    path_link(
      fd: number,
      flags: number,
      from: number,
      fromLength: number,
      toFd: number,
      to: number,
      toLength: number,
    ) {
      return twoPaths(context, from, fromLength, to, toLength, () => {
        // A link to what a link leads to is not offered, as in other hosts.
        if (flags !== 0) return wasi.ERRNO_INVAL;
        const source = find(
          context,
          fd,
          wasi.RIGHTS_PATH_LINK_SOURCE,
          from >>> 0,
          fromLength >>> 0,
          "nofollow",
        );
        if (typeof source === "number") return -source;
        const { node, trailing } = source;
        if (node === undefined) return wasi.ERRNO_NOENT;
        if (trailing && !(node instanceof DirectoryNode)) return wasi.ERRNO_NOTDIR;
        const target = find(
          context,
          toFd,
          wasi.RIGHTS_PATH_LINK_TARGET,
          to >>> 0,
          toLength >>> 0,
          "entry",
        );
        return typeof target === "number" ? -target : makeHardLink(node, target);
      });
    },
  };
}

function symbolicImports(context: Context): Record<string, PlainImport> {
  const { memory } = context;
  return {
    path_symlink(target: number, targetLength: number, fd: number, path: number, length: number) {
      return twoPaths(context, target, targetLength, path, length, () => {
        const text = pathText(context, target >>> 0, targetLength >>> 0);
        if (typeof text === "number") return -text;
        if (text === "") return wasi.ERRNO_NOENT;
        const folder = folderOf(context, fd, wasi.RIGHTS_PATH_SYMLINK);
        if (typeof folder === "number") return -folder;
        const outside = text.startsWith("/") && !isBelow(text, folder.directory.tree.path);
        if (outside) return wasi.ERRNO_NOTCAPABLE;
        const place = find(context, fd, 0, path >>> 0, length >>> 0, "entry");
        return typeof place === "number" ? -place : makeLink(place, text);
      });
    },
    path_readlink(
      fd: number,
      path: number,
      length: number,
      buffer: number,
      room: number,
      result: number,
    ) {
      path >>>= 0;
      length >>>= 0;
      buffer >>>= 0;
      room >>>= 0;
      result >>>= 0;
      if (!memory.fits(path, length) || !memory.fits(buffer, room) || !memory.fits(result, 4)) {
        return wasi.ERRNO_FAULT;
      }
      const found = find(context, fd, wasi.RIGHTS_PATH_READLINK, path, length, "nofollow");
      if (typeof found === "number") return -found;
      if (found.node === undefined) return wasi.ERRNO_NOENT;
      if (!(found.node instanceof LinkNode)) {
        const isFolder = found.node instanceof DirectoryNode;
        return found.trailing && !isFolder ? wasi.ERRNO_NOTDIR : wasi.ERRNO_INVAL;
      }
      const bytes = encoder.encode(found.node.target).subarray(0, room);
      memory.bytes.set(bytes, buffer);
      memory.view.setUint32(result, bytes.length, true);
      return OK;
    },
  };
}

/** An absolute link target has to name something below the tree the link is in, as the guest names it. */
function isBelow(target: string, root: string): boolean {
  const prefix = root === "/" ? "/" : `${root}/`;
  return target.startsWith(prefix) && /[^/]/.test(target.slice(prefix.length));
}

/** Both ranges are checked before anything is looked at. */
function twoPaths(
  { memory }: Context,
  first: number,
  firstLength: number,
  second: number,
  secondLength: number,
  act: () => number,
): number {
  const fits =
    memory.fits(first >>> 0, firstLength >>> 0) && memory.fits(second >>> 0, secondLength >>> 0);
  return fits ? act() : wasi.ERRNO_FAULT;
}
