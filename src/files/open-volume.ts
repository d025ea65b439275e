// memoryVolume() and openVolume(): the two kinds of volume; page, the first in Node too.

import { SandboxError } from "../errors.ts";
import { VOLUME_NAME_CHARACTERS } from "../limits.ts";
import { Volume } from "./volume.ts";

/**
 * A volume that lives as long as this object.
 *
 * @example
 * const volume = memoryVolume();
 * await todo.call("add", { text: "water the plants" }, { volume });
 * await todo.call("list", {}, { volume }); // the next instance finds what the first one wrote
 */
export function memoryVolume(): Volume {
  return new Volume();
}

/** Options of {@link openVolume}. */
export interface VolumeOptions {
  /**
   * A stored volume that is damaged is deleted, and an empty one opened. Default false: `bad_volume`. One that a later
   * version of this library has stored is not damaged, and stays.
   */
  readonly discardDamaged?: boolean;
}

/**
 * A volume whose `/data` the browser keeps for this origin, under a name of 1 to 64 characters. It is made on first use;
 * every tab that opens the name works on the same files, one call at a time.
 *
 * A commit writes whole files beside the old ones and then, last, the list of them, so a page that dies while it saves
 * leaves the old state or the new one. What is kept is checked when it is opened.
 *
 * @throws SandboxError `unsupported` where there is no private file system or no lock manager (Node, pages without
 * https, old browsers), `bad_option` for a name that cannot be, `bad_volume` when what is kept is damaged
 * @example
 * const volume = await openVolume("notes");
 * const { bytes, quotaBytes } = await volume.usage();
 */
export async function openVolume(
  name: string,
  { discardDamaged = false }: VolumeOptions = {},
): Promise<Volume> {
  const length = typeof name === "string" ? [...name].length : 0;
  if (length === 0 || length > VOLUME_NAME_CHARACTERS || !name.isWellFormed()) {
    throw new SandboxError(
      "bad_option",
      `a volume's name is a text of 1 to ${VOLUME_NAME_CHARACTERS} characters`,
    );
  }
  const { openStore } = await import("./opfs-store.ts");
  const volume = new Volume(await openStore(name));
  try {
    await volume.usage(); // what is damaged shows here, not in a call
  } catch (error) {
    if (!discardDamaged || !isDamage(error)) throw error;
    await volume.delete();
  }
  return volume;
}

function isDamage(error: unknown): boolean {
  const { code, data } = error as Partial<SandboxError>;
  return code === "bad_volume" && (data as { format?: unknown } | undefined)?.format === undefined;
}
