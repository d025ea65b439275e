// The two lists of a stored volume, written in turns: which is the newest, reading them, removing them; page.

import type { FolderHandle } from "./folder-handle.ts";
import { isMissing, openStored } from "./stored-file.ts";
import {
  parseManifest,
  versionOf,
  type ListVersion,
  type VolumeManifest,
} from "./volume-manifest.ts";

/** A list is saved in the one that does not hold the state before, so that one is whole whatever happens. */
const SLOTS = ["list-0", "list-1"] as const;

/** Where the list of a generation goes. */
export function slotOf(generation: number): string {
  return SLOTS[generation % 2]!;
}

/** The list files as they are, each with the version that it claims. */
export async function openLists(
  folder: FolderHandle,
): Promise<{ slot: string; file: Blob | undefined; version: ListVersion | undefined }[]> {
  return Promise.all(
    SLOTS.map(async (slot) => {
      const file = await openStored(folder, slot);
      return { slot, file, version: await versionOf(file) };
    }),
  );
}

/** A file that was made and never written is empty: its page died before the first save was complete. */
export async function readList(
  file: Blob | undefined,
): Promise<VolumeManifest | "damaged" | undefined> {
  if (!file || file.size === 0) return undefined;
  return (await parseManifest(new Uint8Array(await file.arrayBuffer()))) ?? "damaged";
}

/** Another tab may have deleted the volume and begun it anew, up to the same number. */
export function isSame(one: ListVersion, other: ListVersion | undefined): boolean {
  return one.generation === other?.generation && one.life === other.life;
}

/** Removes both. A page that dies meanwhile leaves the volume whole, or empty: the newest goes last, at one stroke. */
export async function removeLists(folder: FolderHandle): Promise<void> {
  const lists = await openLists(folder);
  lists.sort((a, b) => (a.version?.generation ?? 0) - (b.version?.generation ?? 0));
  // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
  for (const { slot } of lists) await removeIfThere(folder, slot);
}

/** Removes a file, or a folder with all that it holds. */
export async function removeIfThere(folder: FolderHandle, name: string): Promise<void> {
  try {
    await folder.removeEntry(name, { recursive: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
