// The shapes of a snapshot as they cross between page and worker; compiled for both realms.

/** How a snapshot is made, and used. */
export interface SnapshotSpec {
  /** The export that is called once, before the memory is kept. */
  readonly init: string;
  /** The export that each run begins with, on the memory as `init` left it. */
  readonly run: string;
  /** argv and environment of `init`. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A guest's state after `init`: what differs from a fresh instance. */
export interface SnapshotImage {
  /** Pages of 64 KiB that the memory had. */
  readonly pages: number;
  /** Exported mutable globals. */
  readonly globals: readonly (readonly [name: string, value: number | bigint])[];
  /** Numbers of the blocks of {@link SNAPSHOT_BLOCK} bytes that differ from a fresh instance's, ascending. */
  readonly blocks: Uint32Array<ArrayBuffer>;
  /** Their bytes, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes of a block. */
export const SNAPSHOT_BLOCK = 4096;
