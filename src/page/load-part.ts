// Loads a part of the library that only some runs need, and says what it means when that fails; page and Node.

import { SandboxError } from "../errors.ts";

/**
 * What `load` imports. Rejects with SandboxError `load_failed`.
 *
 * @example
 * const { openNetwork } = await loadPart(() => import("./open-network.ts"));
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    throw new SandboxError(
      "load_failed",
      `a part of the library could not be loaded: ${String(cause)} (offline, or a new version: reload the page)`,
      { cause },
    );
  }
}
