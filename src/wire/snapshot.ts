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
  /** Files that `init` finds at `/`; as `files/` says them. */
  readonly entries: readonly unknown[];
  /** Milliseconds that `init` may take. */
  readonly timeoutMs: number;
}

/** A guest's state after `init`: what differs from a fresh instance. */
export interface SnapshotImage {
  /** Pages of 64 KiB that the memory had. */
  readonly pages: number;
  /** Exported mutable globals. */
  readonly globals: readonly (readonly [name: string, value: number | bigint])[];
  /** Where the memory differs from a fresh instance's: offset and length of each stretch in bytes, ascending. */
  readonly stretches: Uint32Array<ArrayBuffer>;
  /** Their bytes, one after the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** How an `init` ended that made no snapshot, and the last of what it wrote. */
export interface InitEnd {
  readonly end: string;
  readonly exitCode: number | undefined;
  readonly reason: string | undefined;
  readonly said: string;
}
