// A private file system and a lock manager in memory, which can die at any step and run out of room; Node.

import type { FileHandle, FolderHandle, FolderWriter } from "../../../src/files/folder-handle.ts";
import type { LockManager } from "../../../src/files/store-place.ts";

type Content = Map<string, Uint8Array | Content>;

function failure(name: string): Error {
  return Object.assign(new Error(name), { name });
}

/** A disk that outlives the pages that use it. */
export class FakeDisk {
  readonly root: Content = new Map();
  /** Bytes that fit on it. */
  quota = Infinity;
  /** Every change of the disk, by what it did and to what. */
  readonly steps: string[] = [];

  /** Another disk with the same content. */
  copy(): FakeDisk {
    const disk = new FakeDisk();
    const fill = (from: Content, to: Content): void => {
      for (const [name, entry] of from) {
        if (entry instanceof Uint8Array) to.set(name, entry.slice());
        else to.set(name, fillNew(entry));
      }
    };
    const fillNew = (from: Content): Content => {
      const made: Content = new Map();
      fill(from, made);
      return made;
    };
    fill(this.root, disk.root);
    return disk;
  }

  /** The folder as a page sees it that dies before its n-th change, which then does not happen. */
  page(diesAt = Infinity): FolderHandle {
    const state = { left: diesAt };
    const change = (what: string): void => {
      if (state.left-- <= 0) throw failure("PageDied");
      this.steps.push(what);
    };
    return folder(this, "", this.root, change, () => state.left < 0);
  }

  get bytes(): number {
    const sum = (content: Content): number =>
      [...content.values()].reduce(
        (total, entry) => total + (entry instanceof Uint8Array ? entry.length : sum(entry)),
        0,
      );
    return sum(this.root);
  }

  /** The names of the files in the one volume's folder of blobs. */
  blobs(): string[] {
    const [volume] = this.root.values();
    const blobs = (volume as Content | undefined)?.get("blobs") as Content | undefined;
    return [...(blobs?.keys() ?? [])];
  }

  /** The content of the one volume. */
  volume(): Content {
    return [...this.root.values()][0] as Content;
  }
}

function folder(
  disk: FakeDisk,
  name: string,
  content: Content,
  change: (what: string) => void,
  isDead: () => boolean,
): FolderHandle {
  const alive = (): void => {
    if (isDead()) throw failure("PageDied");
  };
  const self: FolderHandle = {
    kind: "directory",
    name,
    async *entries() {
      alive();
      for (const [child] of content) yield [child, self] as [string, FolderHandle];
    },
    async getDirectoryHandle(child, { create = false } = {}) {
      alive();
      let entry = content.get(child);
      if (!entry) {
        if (!create) throw failure("NotFoundError");
        if (disk.bytes >= disk.quota) throw failure("QuotaExceededError");
        change(`mkdir ${child}`);
        content.set(child, (entry = new Map()));
      }
      if (entry instanceof Uint8Array) throw failure("TypeMismatchError");
      return folder(disk, child, entry, change, isDead);
    },
    async getFileHandle(child, { create = false } = {}) {
      alive();
      if (!content.has(child)) {
        if (!create) throw failure("NotFoundError");
        change(`create ${child}`);
        content.set(child, new Uint8Array(0));
      }
      return file(disk, child, content, change, alive);
    },
    async removeEntry(child) {
      alive();
      const entry = content.get(child);
      if (entry === undefined) throw failure("NotFoundError");
      if (entry instanceof Map) await empty(entry, change);
      change(`remove ${child}`);
      content.delete(child);
    },
  };
  return self;
}

/** Browsers remove a folder by removing what is in it, one after the other. */
async function empty(content: Content, change: (what: string) => void): Promise<void> {
  for (const [name, entry] of content) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if (entry instanceof Map) await empty(entry, change);
    change(`remove ${name}`);
    content.delete(name);
  }
}

function file(
  disk: FakeDisk,
  name: string,
  content: Content,
  change: (what: string) => void,
  alive: () => void,
): FileHandle {
  return {
    kind: "file",
    name,
    async getFile() {
      alive();
      const bytes = content.get(name);
      if (!(bytes instanceof Uint8Array)) throw failure("NotFoundError");
      return Object.assign(new Blob([bytes.slice()]), { lastModified: 0 });
    },
    async createWritable() {
      alive();
      let written = new Uint8Array(0);
      const writer: FolderWriter = {
        async write({ data }) {
          alive();
          change(`write ${name}`);
          if (disk.bytes + data.length > disk.quota) throw failure("QuotaExceededError");
          written = data.slice();
        },
        async truncate() {},
        async close() {
          alive();
          change(`close ${name}`);
          content.set(name, written);
        },
        async abort() {},
      };
      return writer;
    },
  };
}

/** One lock at a time, as the Web Locks API has it; shared by all pages of a test. */
export class FakeLocks implements LockManager {
  #last: Promise<unknown> = Promise.resolve();
  held = 0;
  mostHeld = 0;

  request<T>(
    _name: string,
    { signal }: { readonly signal?: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> {
    const run = async (): Promise<T> => {
      if (signal?.aborted) throw failure("AbortError");
      this.mostHeld = Math.max(this.mostHeld, ++this.held);
      try {
        return await work();
      } finally {
        this.held--;
      }
    };
    const result = this.#last.then(run);
    this.#last = result.catch(() => {});
    if (!signal) return result;
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(failure("AbortError")), { once: true }),
    );
    return Promise.race([result, aborted]);
  }
}
