// What a run's files have used of their quotas; worker.

/** Limits of a run's files, in bytes and numbers. */
export interface FileQuotas {
  readonly fileBytes: number;
  readonly entries: number;
  readonly writeBytes: number;
}

/** Counts what the writable trees of one run hold. Everything is asked here before it is allocated. */
export class Usage {
  #quotas: FileQuotas;
  bytes = 0;
  entries = 0;
  written = 0;

  constructor(quotas: FileQuotas) {
    this.#quotas = quotas;
  }

  /** May the files grow by so many bytes? */
  hasBytes(more: number): boolean {
    return this.bytes + more <= this.#quotas.fileBytes;
  }

  /** May one more file, folder or link be made? */
  hasEntry(): boolean {
    return this.entries < this.#quotas.entries;
  }

  /** May so many bytes still be written in this run? */
  hasWrites(more: number): boolean {
    return this.written + more <= this.#quotas.writeBytes;
  }
}
