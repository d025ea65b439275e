// What a worker asks about granted folders and what the page answers, as bytes; page and worker.

import { wasi } from "@bjorn3/browser_wasi_shim";

/**
 * A request of a `file` call: `list` asks for names and kinds, `stat` for the size and time of a file, `read` for a range
 * of a file that has been stat-ed. `path` is below the granted folder, "" for itself.
 */
export interface FolderRequest {
  readonly op: "list" | "stat" | "read";
  readonly folder: number;
  readonly path: string;
  /** Of a `read`. */
  readonly at: number;
  readonly length: number;
}

/** What `list` gives: names with true for a folder. */
export type FolderListing = readonly (readonly [name: string, isFolder: boolean])[];

/** What `stat` gives: bytes, and milliseconds since 1970. */
export interface FolderStat {
  readonly size: number;
  readonly modified: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A request as bytes. */
export function encodeFolderRequest(request: FolderRequest): Uint8Array {
  return encoder.encode(JSON.stringify(request));
}

/** The request of {@link encodeFolderRequest}. */
export function decodeFolderRequest(bytes: Uint8Array): FolderRequest {
  return JSON.parse(decoder.decode(bytes)) as FolderRequest;
}

/** An answer: the errno, then the bytes of a `read` or JSON. */
export function encodeFolderAnswer(
  errno: number,
  content: Uint8Array | FolderListing | FolderStat = new Uint8Array(0),
): Uint8Array<ArrayBuffer> {
  const bytes = content instanceof Uint8Array ? content : encoder.encode(JSON.stringify(content));
  const answer = new Uint8Array(bytes.length + 1);
  answer[0] = errno;
  answer.set(bytes, 1);
  return answer;
}

/** The errno of an answer; IO for one that is empty. */
export function errnoOf(answer: Uint8Array): number {
  return answer[0] ?? wasi.ERRNO_IO;
}

/** The answer to a `list`. */
export function listingOf(answer: Uint8Array): FolderListing {
  return JSON.parse(decoder.decode(answer.subarray(1))) as FolderListing;
}

/** The answer to a `stat`. */
export function statOf(answer: Uint8Array): FolderStat {
  return JSON.parse(decoder.decode(answer.subarray(1))) as FolderStat;
}
