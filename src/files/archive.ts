// Reads an archive whatever its kind: zip, tar, or tar.gz; anywhere. Loaded only where one is used.

import { broken, type ArchiveLimits } from "./entry-list.ts";
import { inflate } from "./inflate.ts";
import { FILES_BYTES } from "../limits.ts";
import { readTar } from "./tar.ts";
import type { FlatEntry } from "./tree.ts";
import { readZip } from "./zip.ts";

/** Room for the headers of a tar, which are no bytes of files. */
const HEADER_BYTES = 64 * 2 ** 20;

/**
 * Reads a zip, tar or tar.gz, told by its first bytes.
 *
 * @throws SandboxError `bad_archive` when it is none of these, damaged or hostile; `quota` when it unpacks to more than
 * the limits.
 */
export async function readArchive(
  bytes: Uint8Array<ArrayBuffer>,
  limits: ArchiveLimits = {},
): Promise<FlatEntry[]> {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return await readZip(bytes, limits);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const most = (limits.bytes ?? FILES_BYTES) + HEADER_BYTES;
    return readTar(await inflate([bytes], most), limits);
  }
  const isTar = String.fromCharCode(...bytes.subarray(257, 262)) === "ustar";
  if (isTar) return readTar(bytes, limits);
  throw broken("the archive is neither zip, tar nor tar.gz");
}
