// path_open: flags, rights, creation, and the kinds of node; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { isDots, makeFile } from "../../files/change.ts";
import { DirectoryNode } from "../../files/directory.ts";
import { lookUp, type Found } from "../../files/look-up.ts";
import { DeviceNode, FileNode, type Node } from "../../files/nodes.ts";
import { DoorDevice } from "../door-device.ts";
import { pathText, type Context, type PlainImport } from "./context.ts";
import type { Descriptor } from "./descriptor.ts";
import { areFlags } from "./descriptors.ts";
import { OpenDirectory } from "./open-directory.ts";
import { OpenFile } from "./open-file.ts";
import { rightsOf } from "./rights.ts";

const OK = wasi.ERRNO_SUCCESS;
const FOLLOW = 1;
const ALL_OFLAGS = wasi.OFLAGS_CREAT | wasi.OFLAGS_DIRECTORY | wasi.OFLAGS_EXCL | wasi.OFLAGS_TRUNC;

/** What the guest asks for, checked as far as it can be without looking at the path. */
interface Request {
  readonly flags: number;
  readonly rights: number;
  readonly inheriting: number;
  readonly fdFlags: number;
}

/** The import path_open. */
export function openImport(context: Context): PlainImport {
  const { memory, table } = context;
  return (
    fd: number,
    lookup: number,
    path: number,
    length: number,
    flags: number,
    base: bigint,
    inherit: bigint,
    fdFlags: number,
    result: number,
  ) => {
    path >>>= 0;
    length >>>= 0;
    result >>>= 0;
    if (!memory.fits(path, length) || !memory.fits(result, 4)) return wasi.ERRNO_FAULT;
    const folder = table.get(fd >>> 0);
    if (folder === undefined) return wasi.ERRNO_BADF;
    if (!(folder instanceof OpenDirectory)) return wasi.ERRNO_NOTDIR;
    const request = { flags, rights: rightsOf(base), inheriting: rightsOf(inherit), fdFlags };
    const refused = refusal(folder, lookup, request);
    if (refused !== OK) return refused;
    const text = pathText(context, path, length);
    if (typeof text === "number") return -text;
    if (table.full) return wasi.ERRNO_MFILE;
    const opened = open(folder, text, (lookup & FOLLOW) !== 0, request, context.devices);
    if (typeof opened === "number") return opened;
    memory.view.setUint32(result, table.add(opened), true);
    return OK;
  };
}

/** The errno of a request that the folder's rights or the flags themselves forbid. */
function refusal(folder: OpenDirectory, lookup: number, request: Request): number {
  const { flags, fdFlags } = request;
  const unknown = (flags & ~ALL_OFLAGS) | (lookup & ~FOLLOW);
  const both = wasi.OFLAGS_CREAT | wasi.OFLAGS_DIRECTORY;
  if (unknown !== 0 || !areFlags(fdFlags) || (flags & both) === both) return wasi.ERRNO_INVAL;
  let needed = wasi.RIGHTS_PATH_OPEN;
  if ((flags & wasi.OFLAGS_CREAT) !== 0) needed |= wasi.RIGHTS_PATH_CREATE_FILE;
  if ((flags & wasi.OFLAGS_TRUNC) !== 0) needed |= wasi.RIGHTS_PATH_FILESTAT_SET_SIZE;
  if ((folder.rights & needed) !== needed) return wasi.ERRNO_NOTCAPABLE;
  const more = (request.rights | request.inheriting) & ~folder.inheriting;
  return more === 0 ? OK : wasi.ERRNO_NOTCAPABLE;
}

function open(
  folder: OpenDirectory,
  path: string,
  follow: boolean,
  request: Request,
  devices: Context["devices"],
): Descriptor | number {
  const { flags } = request;
  const creates = (flags & wasi.OFLAGS_CREAT) !== 0;
  const exclusive = creates && (flags & wasi.OFLAGS_EXCL) !== 0;
  const named = follow && !exclusive ? "create" : "entry";
  const mode = creates ? named : follow ? "follow" : "nofollow";
  const place = lookUp(folder.directory, path, mode);
  if (typeof place === "number") return place;
  // Whatever is there, open cannot make a folder.
  if (creates && place.trailing && !isDots(place.name)) return wasi.ERRNO_ISDIR;
  if (place.node === undefined) {
    if (!creates) return wasi.ERRNO_NOENT;
    const made = makeFile(place);
    return typeof made === "number" ? made : new OpenFile(made, request.rights, request.fdFlags);
  }
  if (exclusive) return wasi.ERRNO_EXIST;
  return openExisting(place, place.node, request, devices);
}

function openExisting(
  place: Found,
  node: Node,
  request: Request,
  devices: Context["devices"],
): Descriptor | number {
  const { flags, rights } = request;
  const mustBeFolder = place.trailing || (flags & wasi.OFLAGS_DIRECTORY) !== 0;
  const writes = (rights & wasi.RIGHTS_FD_WRITE) !== 0 || (flags & wasi.OFLAGS_TRUNC) !== 0;
  if (node instanceof DirectoryNode) {
    if (writes || (flags & wasi.OFLAGS_CREAT) !== 0) return wasi.ERRNO_ISDIR;
    return new OpenDirectory(node, rights, request.inheriting);
  }
  if (mustBeFolder) return wasi.ERRNO_NOTDIR;
  if (node instanceof DeviceNode) {
    const ask = devices[node.device];
    return ask ? new DoorDevice(node, rights, ask) : wasi.ERRNO_NXIO;
  }
  if (!(node instanceof FileNode)) return wasi.ERRNO_LOOP;
  if (writes && node.tree.readOnly) return wasi.ERRNO_ROFS;
  const file = new OpenFile(node, rights, request.fdFlags);
  if ((flags & wasi.OFLAGS_TRUNC) !== 0) file.resize(0);
  return file;
}
