// Folders of the user's disk that a run works on: read while it runs, written back after it; loaded by runs that have some; page.

import { SandboxError } from "../errors.ts";
import type { FolderChange } from "../files/folder-changes.ts";
import { FolderHost } from "../files/folder-host.ts";
import { foldersOf } from "../files/preopens.ts";
import { writeBack } from "../files/write-back.ts";
import type { RunOptions } from "./run-options.ts";

/** The granted folders of one run. */
export class GrantedFolders {
  private readonly handles: ReturnType<typeof foldersOf>;
  private readonly host: FolderHost;

  constructor(mounts: NonNullable<RunOptions["mounts"]>) {
    this.handles = foldersOf(mounts);
    this.host = new FolderHost(this.handles);
  }

  /** The answer to a `file` call. */
  answer(request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    return this.host.answer(request);
  }

  /** Carries out what the guest changed; what others changed meanwhile stays, and is the error (`conflict`). */
  async writeBack(changes: readonly unknown[]): Promise<SandboxError | undefined> {
    try {
      await writeBack(this.handles, changes as readonly FolderChange[]);
      return undefined;
    } catch (error) {
      if (error instanceof SandboxError) return error;
      throw error;
    }
  }
}
