// A folder handle over objects in memory, with the errors and the one-time writers of the real ones.

import type { FileHandle, FolderHandle, FolderWriter } from "../../../src/files/folder-handle.ts";

class FakeError extends Error {
  constructor(name: string) {
    super(name);
    this.name = name;
  }
}

let time = 1_700_000_000_000;

export class FakeFile implements FileHandle {
  readonly kind = "file";
  readonly name: string;
  bytes: Uint8Array<ArrayBuffer>;
  modified = (time += 1000);
  /** Calls of `slice` on files that were read. */
  reads: [number, number][] = [];
  broken = false;

  constructor(name: string, content: string | Uint8Array<ArrayBuffer>) {
    this.name = name;
    this.bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  set(content: string): void {
    this.bytes = new TextEncoder().encode(content);
    this.modified = time += 1000;
  }

  getFile(): Promise<Blob & { readonly lastModified: number }> {
    if (this.broken) return Promise.reject(new FakeError("NotReadableError"));
    const blob = new File([this.bytes], this.name, { lastModified: this.modified });
    const { reads } = this;
    const slice = blob.slice.bind(blob);
    blob.slice = (start, end) => {
      reads.push([start!, end!]);
      return slice(start, end);
    };
    return Promise.resolve(blob);
  }

  createWritable({ keepExistingData = false } = {}): Promise<FolderWriter> {
    let draft = keepExistingData ? this.bytes.slice() : new Uint8Array(0);
    const resize = (size: number): void => {
      const next = new Uint8Array(size);
      next.set(draft.subarray(0, size));
      draft = next;
    };
    return Promise.resolve({
      write: async ({ position, data }) => {
        if (this.broken) throw new FakeError("QuotaExceededError");
        if (position + data.length > draft.length) resize(position + data.length);
        draft.set(data, position);
      },
      truncate: async (size) => resize(size),
      close: async () => {
        this.bytes = draft;
        this.modified = time += 1000;
      },
      abort: async () => {},
    });
  }
}

type Tree = { [name: string]: string | Uint8Array<ArrayBuffer> | Tree };

export class FakeFolder implements FolderHandle {
  readonly kind = "directory";
  readonly name: string;
  readonly children = new Map<string, FakeFile | FakeFolder>();

  constructor(name: string, tree: Tree = {}) {
    this.name = name;
    for (const [child, value] of Object.entries(tree)) {
      const isFile = typeof value === "string" || value instanceof Uint8Array;
      this.children.set(child, isFile ? new FakeFile(child, value) : new FakeFolder(child, value));
    }
  }

  async *entries(): AsyncIterableIterator<[string, FakeFile | FakeFolder]> {
    for (const entry of this.children) yield await Promise.resolve(entry);
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<FakeFile> {
    const child = this.children.get(name);
    if (child instanceof FakeFile) return child;
    if (child !== undefined) throw new FakeError("TypeMismatchError");
    if (!create) throw new FakeError("NotFoundError");
    const made = new FakeFile(name, "");
    this.children.set(name, made);
    return made;
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<FakeFolder> {
    const child = this.children.get(name);
    if (child instanceof FakeFolder) return child;
    if (child !== undefined) throw new FakeError("TypeMismatchError");
    if (!create) throw new FakeError("NotFoundError");
    const made = new FakeFolder(name);
    this.children.set(name, made);
    return made;
  }

  async removeEntry(name: string): Promise<void> {
    const child = this.children.get(name);
    if (child === undefined) throw new FakeError("NotFoundError");
    if (child instanceof FakeFolder && child.children.size > 0) {
      throw new FakeError("InvalidModificationError");
    }
    this.children.delete(name);
  }

  file(path: string): FakeFile {
    const names = path.split("/");
    const [first, ...rest] = names;
    const child = this.children.get(first!);
    return rest.length === 0 ? (child as FakeFile) : (child as FakeFolder).file(rest.join("/"));
  }

  /** Everything as nested text. */
  show(): unknown {
    return Object.fromEntries(
      [...this.children].map(([name, child]) => [
        name,
        child instanceof FakeFile ? child.text : child.show(),
      ]),
    );
  }
}
