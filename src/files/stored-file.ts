// One file of the origin's private file system, read and replaced whole; page.

import type { FolderHandle } from "./folder-handle.ts";

/** The file as it is now; undefined when there is none. */
export async function openStored(folder: FolderHandle, name: string): Promise<Blob | undefined> {
  try {
    return await (await folder.getFileHandle(name)).getFile();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Its bytes; undefined when there is no such file. */
export async function readWhole(
  folder: FolderHandle,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const file = await openStored(folder, name);
  return file && new Uint8Array(await file.arrayBuffer());
}

/**
 * Bytes in one write. Chromium passes them through a pipe; where a write larger than the pipe meets the quota, the broken
 * pipe may be told (AbortError) in place of the quota.
 */
const PIECE = 256 * 1024;

/** The browser puts the new bytes in place when the writer is closed, whole or not at all. */
export async function writeWhole(
  folder: FolderHandle,
  name: string,
  data: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const handle = await folder.getFileHandle(name, { create: true });
  const writer = await handle.createWritable();
  try {
    for (let position = 0; position < data.length; position += PIECE) {
      // oxlint-disable-next-line no-await-in-loop -- each goes after the one before
      await writer.write({
        type: "write",
        position,
        data: data.subarray(position, position + PIECE),
      });
    }
    await writer.close();
  } catch (error) {
    await writer.abort().catch(() => {});
    throw error;
  }
}

/** Whether an error says that there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return (error as { name?: unknown } | undefined)?.name === "NotFoundError";
}
