// Where volumes are kept: the origin's private file system and its locks, and what their failures mean; page.

import { SandboxError } from "../errors.ts";
import type { FolderHandle } from "./folder-handle.ts";

const FOLDER = "sallyport-volumes";

/** The part of the Web Locks API that is used here. */
export interface LockManager {
  request<T>(
    name: string,
    options: { readonly signal?: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T>;
}

/** What a store works on. */
export interface StorePlace {
  /** The folder of all volumes. */
  readonly folder: FolderHandle;
  readonly locks: LockManager;
  readonly estimate?: () => Promise<{ readonly quota?: number }>;
}

interface OriginStorage {
  getDirectory?(): Promise<unknown>;
  estimate(): Promise<{ readonly quota?: number }>;
}

/** That of this page. @throws SandboxError `unsupported`, `quota` */
export async function originPlace(): Promise<StorePlace> {
  const { navigator, crypto } = globalThis as {
    navigator?: { readonly storage?: OriginStorage; readonly locks?: LockManager };
    crypto?: { readonly subtle?: unknown };
  };
  const { storage, locks } = navigator ?? {};
  if (!storage?.getDirectory || !locks || !crypto?.subtle) throw unsupported();
  // Frames without an origin of their own, and some private windows, have the method and no file system behind it.
  const root = await storage.getDirectory().catch((cause: unknown) => {
    throw unsupported(cause);
  });
  const made = (root as FolderHandle).getDirectoryHandle(FOLDER, { create: true });
  const folder = await made.catch(fail);
  return { folder, locks, estimate: () => storage.estimate() };
}

function unsupported(cause?: unknown): SandboxError {
  return new SandboxError(
    "unsupported",
    "persistent volumes need the origin's private file system and Web Locks: a page with https in a current browser; " +
      "memoryVolume() works everywhere",
    cause === undefined ? {} : { cause },
  );
}

/** Throws what a change of the origin's storage came to, typed where there was no room. */
export function fail(cause: unknown): never {
  if ((cause as { name?: unknown } | undefined)?.name !== "QuotaExceededError") throw cause;
  throw new SandboxError(
    "quota",
    "the browser gives this origin no more room, so nothing was saved; the volume is as it was",
    { cause },
  );
}
