// A guest's files for HTTP in a Map, with a budget and a log; Node, tests.

import type { GuestHttpFiles, GuestHttpOutput } from "../../../src/worker/http-call.ts";

/** The files, and how they are used. */
export interface TestGuestFiles extends GuestHttpFiles {
  readonly files: Map<string, Uint8Array>;
  readonly log: string[];
  /** Inputs and outputs that nobody ended. */
  readonly open: number;
}

/** `budget`: bytes that may be written. `/forbidden/…`, `/full` and `/breaks` refuse output, each in its own way. */
export function guestFiles(
  given: Record<string, Uint8Array> = {},
  budget = Number.POSITIVE_INFINITY,
): TestGuestFiles {
  const files = new Map(Object.entries(given));
  const log: string[] = [];
  let open = 0;
  let left = budget;

  const output = (path: string): GuestHttpOutput => {
    const parts: Uint8Array[] = [];
    return {
      write(bytes, then) {
        left -= bytes.byteLength;
        if (left < 0) return then("quota");
        log.push(`write ${bytes.byteLength}`);
        parts.push(bytes.slice());
        return then();
      },
      commit(then) {
        log.push("commit");
        open -= 1;
        files.set(path, new Uint8Array(Buffer.concat(parts)));
        return then();
      },
      discard() {
        log.push("discard");
        open -= 1;
      },
    };
  };

  return {
    files,
    log,
    get open() {
      return open;
    },
    openInput(path, then) {
      log.push(`openInput ${path}`);
      const bytes = files.get(path);
      if (!bytes) return then("bad_path");
      open += 1;
      let at = 0;
      return then({
        size: bytes.byteLength,
        read(maxBytes, next) {
          const part = bytes.subarray(at, at + maxBytes);
          at += part.byteLength;
          log.push(`read ${part.byteLength}`);
          return next(part);
        },
        close() {
          log.push("close");
          open -= 1;
        },
      });
    },
    openOutput(path, then) {
      log.push(`openOutput ${path}`);
      if (path.startsWith("/forbidden/")) return then("bad_path");
      if (path === "/full") return then("quota");
      if (path === "/breaks") return then("failed");
      open += 1;
      return then(output(path));
    },
  };
}
