// Output on its way to a file: small chunks become parts of 1 MiB; page, worker and Node.

import { FILE_PART_BYTES } from "../limits.ts";
import type { Deadline } from "./deadline.ts";
import { guardFiles, type HttpFileSink } from "./http-files.ts";

/** Collects small chunks, so that a file crosses in parts of 1 MiB and not in hundreds of crossings. */
export class FileWriter {
  private readonly sink: HttpFileSink;
  private readonly path: string;
  private readonly deadline: Deadline;
  private part: Uint8Array<ArrayBuffer> | undefined;
  private filled = 0;

  constructor(sink: HttpFileSink, path: string, deadline: Deadline) {
    this.sink = sink;
    this.path = path;
    this.deadline = deadline;
  }

  async write(chunk: Uint8Array): Promise<void> {
    let rest = chunk;
    while (rest.byteLength > 0) {
      this.part ??= new Uint8Array(FILE_PART_BYTES);
      const taken = Math.min(rest.byteLength, FILE_PART_BYTES - this.filled);
      this.part.set(rest.subarray(0, taken), this.filled);
      this.filled += taken;
      rest = rest.subarray(taken);
      // oxlint-disable-next-line no-await-in-loop -- the file's order is the point
      if (this.filled === FILE_PART_BYTES) await this.flush();
    }
  }

  /** Writes what is left and makes the file appear. */
  async commit(): Promise<void> {
    await this.flush();
    await guardFiles(this.path, this.deadline, () => this.sink.commit());
  }

  private async flush(): Promise<void> {
    if (!this.part || this.filled === 0) return;
    const part = this.part.subarray(0, this.filled);
    this.part = undefined;
    this.filled = 0;
    await guardFiles(this.path, this.deadline, () => this.sink.part(part));
  }
}
