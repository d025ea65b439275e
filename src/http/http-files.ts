// Files as bodies and as output, through a handler that the embedder gives; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { FILE_PART_BYTES, HTTP_UPLOAD_BYTES, PATH_BYTES } from "../limits.ts";
import type { Deadline } from "./deadline.ts";
import { echo, HttpFailure } from "./http-failure.ts";

/**
 * Where file bodies come from and file output goes to. A handler refuses with `SandboxError`: code `bad_path` for what
 * is no usable file, `quota` for what may not be written; anything else counts as the host's own failure (`abi`).
 *
 * Both are asked before anything is sent, so a path or an exhausted budget never costs a request.
 */
export interface HttpFiles {
  /** Opens a file to be sent. */
  read(path: string): Promise<HttpFileSource>;
  /** Opens a place for the answer's body. Until `commit` nothing is seen at `path`. */
  write(path: string): Promise<HttpFileSink>;
}

/** A file that is being read, from its start. */
export interface HttpFileSource {
  /** Bytes of the whole file. */
  readonly size: number;
  /** The next bytes, at most `maxBytes`; none at the end. */
  part(maxBytes: number): Promise<Uint8Array>;
  close?(): void | Promise<void>;
}

/** A file that is being written. Exactly one of `commit` and `discard` is called, at the end. */
export interface HttpFileSink {
  /** Appends at most 1 MiB; the bytes are the handler's to keep. */
  part(bytes: Uint8Array): Promise<void>;
  /** Makes the file appear under its path, in place of an older one. */
  commit(): Promise<void>;
  /** Removes what was written; an older file stays. */
  discard(): Promise<void>;
}

/** Opens the output, or throws `bad_path`, `write_budget` or `abi`. */
export async function openOutput(
  files: HttpFiles | undefined,
  path: string,
  deadline: Deadline,
): Promise<HttpFileSink> {
  checkPath(path);
  if (!files) throw noFiles();
  return open(
    path,
    deadline,
    () => files.write(path),
    (late) => late.discard(),
  );
}

/** The whole file as a Blob, which a browser may keep on disk: fetch takes no stream over HTTP/1.1. */
export async function readUpload(
  files: HttpFiles | undefined,
  path: string,
  deadline: Deadline,
): Promise<Blob> {
  checkPath(path);
  if (!files) throw noFiles();
  const source = await open(
    path,
    deadline,
    () => files.read(path),
    (late) => late.close?.(),
  );
  try {
    if (source.size > HTTP_UPLOAD_BYTES) throw tooLong(path, source.size);
    return await readAll(source, path, deadline);
  } finally {
    // Nothing depends on it, and a handler that fails here has already given the bytes.
    (async () => source.close?.())().catch(() => {});
  }
}

async function readAll(source: HttpFileSource, path: string, deadline: Deadline): Promise<Blob> {
  const parts: Blob[] = [];
  let bytes = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one part after the other is the point
    const part = await guardFiles(path, deadline, () => source.part(FILE_PART_BYTES));
    if (part.byteLength === 0) return new Blob(parts);
    bytes += part.byteLength;
    if (bytes > HTTP_UPLOAD_BYTES) throw tooLong(path, bytes);
    // Copies the part, so a handler may use its buffer again.
    parts.push(new Blob([part as Uint8Array<ArrayBuffer>]));
  }
}

/** Removes a partial file, and waits for it unless the run is gone: a guest must not find the file. */
export async function discardOutput(
  sink: HttpFileSink,
  run: AbortSignal | undefined,
): Promise<void> {
  const work = (async () => sink.discard())().catch(() => {});
  if (!run) return work;
  if (run.aborted) return;
  let stopped!: () => void;
  const gone = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  run.addEventListener("abort", stopped, { once: true });
  await Promise.race([work, gone]);
  run.removeEventListener("abort", stopped);
}

/** Opens, and closes again what is opened only after time was up. */
async function open<T>(
  path: string,
  deadline: Deadline,
  work: () => Promise<T>,
  close: (late: T) => void | Promise<void>,
): Promise<T> {
  let gaveUp = false;
  const opening = async (): Promise<T> => {
    const opened = await work();
    if (gaveUp) await close(opened);
    return opened;
  };
  try {
    return await guardFiles(path, deadline, opening);
  } catch (error) {
    gaveUp = true;
    throw error;
  }
}

/** What no handler need be asked: a file's path is absolute, and short enough to be one. */
function checkPath(path: string): void {
  const long = new TextEncoder().encode(path).byteLength > PATH_BYTES;
  if (!path.startsWith("/") || path.endsWith("/") || path.includes("\0") || long) {
    throw new HttpFailure("bad_path", `${echo(path)} is not the absolute path of a file`);
  }
}

/** Waits for the handler, and says its refusals in the terms of ABI 1. */
export async function guardFiles<T>(
  path: string,
  deadline: Deadline,
  work: () => Promise<T>,
): Promise<T> {
  try {
    // A handler may throw in place.
    return await deadline.race((async () => work())());
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
    const code = error instanceof SandboxError ? error.code : undefined;
    if (code === "bad_path") {
      throw new HttpFailure("bad_path", `${echo(path)} is not a usable file`);
    }
    if (code === "quota") {
      throw new HttpFailure("write_budget", `${echo(path)} does not fit what this run may write`);
    }
    throw new HttpFailure("abi", "the host could not read or write the file");
  }
}

function noFiles(): HttpFailure {
  return new HttpFailure(
    "bad_path",
    "no files can be sent or saved here; use text, json or inline",
  );
}

function tooLong(path: string, bytes: number): HttpFailure {
  return new HttpFailure(
    "too_large",
    `${echo(path)} has ${bytes} bytes; at most ${HTTP_UPLOAD_BYTES} are sent`,
  );
}
