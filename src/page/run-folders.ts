// The folders of a run that its guest asks the page for; what they need is loaded when it first does; page.

import { isFolderHandle } from "../files/folder-handle.ts";
import type { GrantedFolders } from "./granted-folders.ts";
import { loadPart } from "./load-part.ts";
import type { RunOptions } from "./run-options.ts";

/** What a run does with them. */
export type RunFolders = Pick<GrantedFolders, "answer" | "writeBack">;

/** Undefined where a run has none. */
export function runFolders(mounts: RunOptions["mounts"]): RunFolders | undefined {
  if (!mounts || !Object.values(mounts).some((mount) => isFolderHandle(mount))) return undefined;
  let opened: Promise<GrantedFolders> | undefined;
  const open = (): Promise<GrantedFolders> =>
    (opened ??= loadPart(() => import("./granted-folders.ts")).then(
      ({ GrantedFolders }) => new GrantedFolders(mounts),
    ));
  return {
    answer: async (request) => (await open()).answer(request),
    writeBack: async (changes) =>
      changes.length > 0 ? (await open()).writeBack(changes) : undefined,
  };
}
