// The shapes that cross between page and worker besides blocking calls; compiled for both realms.

import type { SandboxErrorCode } from "../errors.ts";
import type { LikeRun } from "./run-words.ts";
import type { InitEnd, SnapshotImage, SnapshotSpec } from "./snapshot.ts";
import type { CallMessage, ReplyMessage } from "./suspending-messages.ts";

/** How the worker can block: see the ladder in docs/hosting.md. */
export type Transport = "shared-memory" | "suspending" | "none";

/** Where stdin comes from: bytes known in advance, or asked from the page piece by piece. */
export type StdinSpec =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "blocking" }
  /** Lines of which each comes once the one before was answered on stdout; then the end, or what the page sends. */
  | { readonly kind: "lines"; readonly lines: readonly Uint8Array[]; readonly more: boolean };

/** Everything a worker needs for one run. `Preopen` is what `files/` makes of the page's files and mounts. */
export interface RunInit<Preopen> {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: StdinSpec;
  readonly preopens: readonly Preopen[];
  readonly entry?: string;
  /** A host function answers the door; without one `host::call` gives -1. */
  readonly door: boolean;
  readonly http: boolean;
  /** Milliseconds of the guest's own time; Infinity for none. */
  readonly timeoutMs: number;
  /** The memory to give to a module that imports one, in pages. */
  readonly importedMemory?: ImportedMemory;
  readonly quotas: Quotas;
  /** Standard streams that answer isatty with yes. */
  readonly tty: readonly (0 | 1 | 2)[];
  /** Fixed clock and seeded randomness, so that a run repeats exactly. */
  readonly deterministic?: { readonly seed: number; readonly timeMs: number };
  /** A function package runs: no devices, no fd_allocate, and its trees are told whole at the end. */
  readonly abi1?: true;
}

/** A memory that the module imports. */
export interface ImportedMemory {
  readonly module: string;
  readonly name: string;
  readonly initial: number;
  readonly maximum?: number;
  readonly shared: boolean;
}

/** Limits of a run's files. */
export interface Quotas {
  /** Bytes of all writable in-memory files. */
  readonly fileBytes: number;
  /** Entries of all writable trees. */
  readonly entries: number;
  readonly descriptors: number;
  /** Bytes written in the whole run, rewriting included. */
  readonly writeBytes: number;
}

/** How a guest ended, as its worker saw it. The page's stop flag has the last word on the status. */
export interface RunOutcome {
  readonly end: "exited" | "trapped" | "timeout" | "stopped" | "unsupported";
  readonly exitCode?: number;
  /** Of an `unsupported` end: what the guest wanted to wait for. */
  readonly reason?: string;
  /** Of a `trapped` end. */
  readonly thrown?: Thrown;
  /** What is to be written back to granted folders, as `files/` says it. */
  readonly folders?: readonly unknown[];
  /** Changed files of writable in-memory trees by path; null for a deleted one. */
  readonly files?: Readonly<Record<string, Uint8Array | null>>;
  /** Files or folders are not here: there was no memory for copies of them. */
  readonly lost?: LostFiles;
  /** Bytes of the guest's memory at the end. */
  readonly memoryBytes?: number;
  /** With `abi1`, instead of `files`: the writable trees as the guest left them. */
  readonly trees?: readonly LeftTree[];
}

/** What of a guest's files could not be copied, and why. */
export interface LostFiles {
  /** The changed files of trees in memory; the changes to granted folders. */
  readonly what: ("files" | "folders")[];
  message: string;
}

/** What came out of a guest: the message of an error with its stack, that of anything else; nothing of an exception. */
export interface Thrown {
  readonly message?: string;
  readonly stack?: string;
}

/** One writable tree as a guest left it. */
export interface LeftTree {
  /** Where the guest saw it. */
  readonly path: string;
  /** Folders before what they hold; paths without a leading slash. */
  readonly entries: readonly LeftEntry[];
}

/** Something in such a tree. An unchanged file is named by the path that it had before. */
export type LeftEntry =
  | { readonly path: string; readonly type: "directory" }
  | { readonly path: string; readonly type: "link"; readonly target: string }
  | {
      readonly path: string;
      readonly type: "file";
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly modified: number;
    }
  | {
      readonly path: string;
      readonly type: "file";
      readonly same: string;
      readonly modified: number;
    };

/** A chunk of output: 1 is stdout, 2 is stderr. The buffer is transferred. */
export interface OutputMessage {
  readonly output: 1 | 2;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Request of a `stdin` call: at most this many bytes. The answer is the bytes; none means end of file. */
export function encodeStdinRequest(maxBytes: number): Uint8Array {
  return encodeNumber(maxBytes);
}

/**
 * Request of a `poll` call: wait for stdin at most `ms` (Infinity: for ever). The answer is 1 as soon as a read would
 * not wait, for bytes or at the end of file, and 0 when the time is over.
 */
export function encodePollRequest(ms: number): Uint8Array {
  return encodeNumber(ms);
}

/**
 * Request of a `credit` call: which stream wants room, and how many bytes it has sent in all: the page answers once these
 * have arrived, since calls may overtake output. The answer is the number of bytes that wait for a reader; a negative one
 * is the number that nobody will miss: the worker drops as many before it sends again.
 */
export function encodeCreditRequest(stream: 1 | 2, sentBytes: number): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes.set(encodeNumber(stream));
  bytes.set(encodeNumber(sentBytes), 8);
  return bytes;
}

/** The two numbers of {@link encodeCreditRequest}. */
export function decodeCreditRequest(bytes: Uint8Array): { stream: 1 | 2; sentBytes: number } {
  return {
    stream: decodeNumber(bytes) === 1 ? 1 : 2,
    sentBytes: decodeNumber(bytes.subarray(8)),
  };
}

/** Eight bytes, a little-endian double: the one number of the requests and answers above. */
export function encodeNumber(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}

/** The number of {@link encodeNumber}. */
export function decodeNumber(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}

/** A SandboxError as plain data: thrown through Comlink it would lose its code. */
export interface Failure {
  readonly code: SandboxErrorCode;
  readonly message: string;
  readonly data?: unknown;
}

/** The control interface of a worker, over Comlink: only used while no guest runs in it. */
export interface WorkerApi {
  /** Keeps the module for its runs; `checkPages`: its memory is to be checked; `ahead`: it may be instantiated before one. */
  load(module: WebAssembly.Module, checkPages?: number, ahead?: boolean): Failure | undefined;
  /** Makes a snapshot of the module; `name` is argv[0]. */
  takeSnapshot(
    spec: SnapshotSpec,
    name: string,
  ): Promise<{ image: SnapshotImage } | { ended: InitEnd } | { failure: Failure }>;
  /** All runs of this worker start from the image, which may come before the module. */
  useSnapshot(image: SnapshotImage): void;
  /** The module's deferred code, where its runs cannot ask for it; 0 when it can be loaded. */
  giveCode(bytes: Uint8Array<ArrayBuffer>): number;
  /** Instances may be put back instead of made anew: where there is one, to what they are in the snapshot. */
  allowInPlace(): void;
}

/** What carries the blocking calls of one run. */
export interface RunChannel {
  /** Tells the messages of one run from those of the one before in the same worker. */
  readonly run: number;
  readonly transport: Transport;
  /** The shared buffer of the first rung. Without one there, the memory of the worker's last run is used again. */
  readonly buffer?: SharedArrayBuffer;
  /** Its shared memory for small writes. */
  readonly output?: SharedArrayBuffer;
  /** True when the page cannot wait on shared memory and wants a message per call, and for the end. */
  readonly ring?: boolean;
}

/** The last word of a run, behind all of its output. */
export interface EndMessage {
  readonly run: number;
  readonly outcome: RunOutcome | { readonly failure: Failure };
  /** Guests' memories that the worker's engine holds, dead ones that are not collected yet included. */
  readonly memories: number;
}

/** What a worker says of one of its runs, outside Comlink. */
export type RunMessage =
  | { readonly run: number; readonly started: true }
  | { readonly run: number; readonly ring: true }
  /** Output lies in shared memory. */
  | { readonly run: number; readonly written: true }
  | EndMessage
  | ({ readonly run: number } & OutputMessage)
  | CallMessage;

/** Worker to page, outside Comlink; `ready` is the first word of a worker. */
export type WorkerMessage = { readonly ready: true } | RunMessage;

/**
 * Page to worker, outside Comlink: the port for Comlink, once; then runs, which a port of their own would make several
 * times as dear; and answers of the suspending rung.
 */
export type PageMessage =
  | { readonly connect: MessagePort }
  | {
      readonly start: RunInit<unknown>;
      readonly channel: RunChannel;
      /** Memories of dead guests from which on the engine is asked to collect them after the run. */
      readonly many: number;
    }
  /** A run that is like the last one of this worker lies in the buffer that it used. */
  | number
  | LikeRun
  | ReplyMessage;
