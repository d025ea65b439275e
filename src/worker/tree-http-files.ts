// HTTP bodies from and to the trees of a run: the paths, quotas and rules of the guest's own opens; worker.

import { FileNode } from "../files/nodes.ts";
import type { Preopen } from "../files/file-system.ts";
import { lookUp, type Found } from "../files/look-up.ts";
import type { HttpFileRefusal } from "../wire/http-frames.ts";
import type { GuestHttpFiles, GuestHttpInput, GuestHttpOutput } from "./http-call.ts";

/**
 * The files of a run as HTTP takes them. A path is looked up from the preopen that lies closest to it, as a guest's libc
 * does. Output grows in a file without a name, which `commit` puts in place; it counts toward the run's quotas from its
 * first byte.
 *
 * @example createSubakoHttp({ memory, enabled: true, files: createTreeHttpFiles(fileSystem.preopens) })
 */
export function createTreeHttpFiles(preopens: readonly Preopen[]): GuestHttpFiles {
  return {
    openInput(path, then) {
      const found = find(preopens, path);
      if (!(found?.node instanceof FileNode) || found.trailing) return then("bad_path");
      return then(inputOf(found.node));
    },
    openOutput(path, then) {
      const found = find(preopens, path);
      const refusal = found ? refuseOutput(found) : "bad_path";
      return then(refusal ?? outputAt(found!));
    },
  };
}

function find(preopens: readonly Preopen[], path: string): Found | undefined {
  let closest: Preopen | undefined;
  for (const preopen of preopens) {
    const inside = preopen.path === "/" || path.startsWith(`${preopen.path}/`);
    if (inside && preopen.path.length > (closest?.path.length ?? 0)) closest = preopen;
  }
  // A granted folder is read by asking the page, which is busy with this request.
  if (!closest || closest.directory.tree.granted) return undefined;
  const rest = path.slice(closest.path === "/" ? 1 : closest.path.length + 1);
  const found = lookUp(closest.directory, rest.replace(/^\/+/, ""), "follow");
  return typeof found === "number" ? undefined : found;
}

/** Everything that can be known before the first byte. */
function refuseOutput({ parent, name, node, trailing }: Found): HttpFileRefusal | undefined {
  const { readOnly, usage } = parent.tree;
  const isName = name !== "" && name !== "." && name !== "..";
  if (!isName || trailing || readOnly || parent.removed) return "bad_path";
  if (node !== undefined && !(node instanceof FileNode)) return "bad_path";
  if (node === undefined && !usage.hasEntry()) return "quota";
  return usage.hasBytes(1) && usage.hasWrites(1) ? undefined : "quota";
}

function inputOf(file: FileNode): GuestHttpInput {
  let at = 0;
  file.opens++;
  return {
    size: file.storage.size,
    read(maxBytes, then) {
      const part = new Uint8Array(Math.max(0, Math.min(maxBytes, file.storage.size - at)));
      at += file.storage.read(at, part, 0, part.byteLength);
      return then(part);
    },
    close() {
      file.opens--;
      file.release();
    },
  };
}

function outputAt({ parent, name, node: old }: Found): GuestHttpOutput {
  const { tree } = parent;
  const { usage } = tree;
  const file = new FileNode(tree);
  file.opens++;
  const close = (): void => {
    file.opens--;
    file.release();
  };
  return {
    write(bytes, then) {
      const { byteLength } = bytes;
      if (!usage.hasBytes(byteLength) || !usage.hasWrites(byteLength)) return then("quota");
      const done = file.storage.write(file.storage.size, bytes, 0, byteLength);
      file.charge();
      usage.written += done;
      return done < byteLength ? then("quota") : then();
    },
    commit(then) {
      // The guest is blocked, so the folder is as it was found.
      if (old instanceof FileNode) {
        parent.delete(name);
        old.release();
      } else usage.entries++;
      parent.add(name, file);
      file.touch();
      close();
      return then();
    },
    discard: close,
  };
}
