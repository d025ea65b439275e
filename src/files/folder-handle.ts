// The shape of a folder that the user has granted (File System Access), as far as it is used here; page.

/** A file inside a granted folder. */
export interface FileHandle {
  readonly kind: "file";
  readonly name: string;
  getFile(): Promise<Blob & { readonly lastModified: number }>;
  createWritable(options?: { keepExistingData?: boolean }): Promise<FolderWriter>;
}

/** What `createWritable` gives. */
export interface FolderWriter {
  write(data: {
    readonly type: "write";
    readonly position: number;
    readonly data: Uint8Array<ArrayBuffer>;
  }): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

/** A granted folder: a `FileSystemDirectoryHandle`, or anything that behaves like one. */
export interface FolderHandle {
  readonly kind: "directory";
  readonly name: string;
  /** Not of the standard: runs cannot write there, not even for themselves. */
  readonly readOnly?: boolean;
  entries(): AsyncIterableIterator<[string, FileHandle | FolderHandle]>;
  getFileHandle(name: string, options?: { create?: boolean }): Promise<FileHandle>;
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<FolderHandle>;
  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void>;
}

/** Tells a granted folder from the other kinds of mount. */
export function isFolderHandle(value: unknown): value is FolderHandle {
  return (
    typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    value.kind === "directory" &&
    "getFileHandle" in value &&
    typeof value.getFileHandle === "function"
  );
}
