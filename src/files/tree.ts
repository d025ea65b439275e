// Trees of files as the page writes them: nested objects, byte arrays and text; page and worker.

import { SandboxError } from "../errors.ts";
import { NAME_BYTES, PATH_BYTES, PATH_DEPTH } from "../limits.ts";

/** A file of a tree: its bytes, or text that is stored as UTF-8. */
export type TreeFile = Uint8Array | ArrayBuffer | string;

/** A folder of a tree. Names map to files and folders; the file and folder objects of browser_wasi_shim fit too. */
export interface Tree {
  readonly [name: string]: TreeNode;
}

/** What a name may stand for. */
export type TreeNode = TreeFile | Tree | ShimFile | ShimDirectory;

/** `File` of \@bjorn3/browser_wasi_shim, told by its shape. */
export interface ShimFile {
  readonly data: Uint8Array;
  readonly readonly: boolean;
}

/** `Directory` of \@bjorn3/browser_wasi_shim, told by its shape. */
export interface ShimDirectory {
  readonly contents: ReadonlyMap<string, unknown>;
}

/** One entry of a tree laid flat, parents first; plain data that can be cloned. `path` has no leading slash. */
export type FlatEntry =
  | { readonly path: string; readonly type: "directory" }
  | {
      readonly path: string;
      readonly type: "file";
      readonly bytes: Uint8Array;
      readonly modified?: number;
    }
  | { readonly path: string; readonly type: "link"; readonly target: string };

const encoder = new TextEncoder();

/**
 * Lays a tree flat. Bytes are not copied.
 *
 * @throws SandboxError `bad_path` for a name that cannot be, `bad_option` for a value that is neither file nor folder.
 */
export function flatten(tree: unknown, at: string): FlatEntry[] {
  const entries: FlatEntry[] = [];
  const waiting: { value: unknown; path: string; depth: number }[] = [];
  pushFolder(tree, "", 0, at, waiting);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const bytes = asBytes(next.value);
    if (bytes !== undefined) {
      entries.push({ path: next.path, type: "file", bytes });
      continue;
    }
    entries.push({ path: next.path, type: "directory" });
    pushFolder(next.value, next.path, next.depth, at, waiting);
  }
  return entries;
}

/** Puts what a folder holds on the list, last name first, so that it is taken off in order. */
function pushFolder(
  value: unknown,
  path: string,
  depth: number,
  at: string,
  waiting: { value: unknown; path: string; depth: number }[],
): void {
  if (depth >= PATH_DEPTH) throw new SandboxError("bad_path", `${at}: the tree is too deep`);
  for (const [name, child] of namesOf(value, `${at}/${path}`).reverse()) {
    checkName(name, `${at}/${path}`);
    waiting.push({ value: child, path: path === "" ? name : `${path}/${name}`, depth: depth + 1 });
  }
}

function namesOf(value: unknown, at: string): [string, unknown][] {
  if (isShimDirectory(value)) return [...value.contents];
  if (value instanceof Map) return [...(value as Map<string, unknown>)];
  if (typeof value === "object" && value !== null && isPlain(value)) return Object.entries(value);
  throw new SandboxError("bad_option", `${at}: neither bytes, text nor a folder`);
}

/** The bytes of a file of a tree; undefined when it is no file. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (typeof value === "string") return encoder.encode(value);
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return isShimFile(value) ? value.data : undefined;
}

function isShimFile(value: unknown): value is ShimFile {
  return (
    typeof value === "object" &&
    value !== null &&
    "data" in value &&
    value.data instanceof Uint8Array &&
    "ino" in value &&
    !isPlain(value)
  );
}

function isShimDirectory(value: unknown): value is ShimDirectory {
  return (
    typeof value === "object" &&
    value !== null &&
    "contents" in value &&
    value.contents instanceof Map &&
    !isPlain(value)
  );
}

/** A folder written as an object literal, whatever its names are. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Refuses a name that no guest could use. */
export function checkName(name: string, at: string): void {
  const wrong =
    name === "" || name === "." || name === ".."
      ? "is no name"
      : /[/\0]/.test(name)
        ? "has a slash or NUL in it"
        : !name.isWellFormed()
          ? "has a lone surrogate in it"
          : encoder.encode(name).length > NAME_BYTES
            ? "is too long"
            : undefined;
  if (wrong === undefined) return;
  throw new SandboxError("bad_path", `${at}: the name ${JSON.stringify(name)} ${wrong}`);
}

/**
 * The names of an absolute path, such as ["a", "b.txt"] for "/a/b.txt"; none for "/".
 *
 * @throws SandboxError `bad_path`.
 */
export function splitPath(path: string): string[] {
  if (!path.startsWith("/")) {
    throw new SandboxError("bad_path", `${JSON.stringify(path)} does not begin with a slash`);
  }
  const names = path.slice(1).split("/");
  if (names.at(-1) === "") names.pop();
  for (const name of names) checkName(name, path);
  if (names.length > PATH_DEPTH || encoder.encode(path).length > PATH_BYTES) {
    throw new SandboxError("bad_path", `${JSON.stringify(path.slice(0, 64))}… is too long`);
  }
  return names;
}
