// Files for HTTP bodies in a Map, with a budget, and a log of what was done to them; Node, tests.

import { SandboxError } from "../../../src/errors.ts";
import type { HttpFiles } from "../../../src/http/http-files.ts";

/** The files, and how they are used. */
export interface MemoryFiles extends HttpFiles {
  readonly files: Map<string, Uint8Array>;
  /** Such as "write /out", "part 1048576", "commit", "discard". */
  readonly log: string[];
}

/** `budget`: bytes that may be written. Paths below /read-only cannot be written. */
export function memoryFiles(
  given: Record<string, Uint8Array> = {},
  budget = Number.POSITIVE_INFINITY,
): MemoryFiles {
  const files = new Map(Object.entries(given));
  const log: string[] = [];
  let left = budget;
  return {
    files,
    log,
    async read(path) {
      log.push(`read ${path}`);
      const bytes = files.get(path);
      if (!bytes) throw new SandboxError("bad_path", `secret host path of ${path}`);
      let at = 0;
      return {
        size: bytes.byteLength,
        async part(maxBytes) {
          const part = bytes.slice(at, at + maxBytes);
          at += part.byteLength;
          return part;
        },
        close: () => void log.push("close"),
      };
    },
    async write(path) {
      log.push(`write ${path}`);
      if (path.startsWith("/read-only/")) throw new SandboxError("bad_path", "read-only");
      if (left <= 0) throw new SandboxError("quota", "nothing left");
      const parts: Uint8Array[] = [];
      return {
        async part(bytes) {
          log.push(`part ${bytes.byteLength}`);
          left -= bytes.byteLength;
          if (left < 0) throw new SandboxError("quota", "too much");
          parts.push(bytes);
        },
        async commit() {
          log.push("commit");
          files.set(path, new Uint8Array(Buffer.concat(parts)));
        },
        discard: async () => void log.push("discard"),
      };
    },
  };
}
