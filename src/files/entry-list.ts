// Entries of an archive as they are read: hostile names refused, sizes counted before anything is unpacked; anywhere.

import { SandboxError } from "../errors.ts";
import { checkName, type FlatEntry } from "./tree.ts";
import { FILES_BYTES, FILES_ENTRIES, PATH_BYTES, PATH_DEPTH } from "../limits.ts";

/** What an archive may unpack to. */
export interface ArchiveLimits {
  /** Bytes of all files. Default 256 MiB. */
  readonly bytes?: number;
  /** Files, folders and links. Default 65,536. */
  readonly entries?: number;
  /**
   * Refuses links of any kind, backslashes, names that only differ by case or Unicode form, two names for one file, and
   * anything behind the end: what means one tree here means the same on every disk and to every program. Default false.
   */
  readonly strict?: boolean;
}

/** Collects the entries of one archive. */
export class EntryList {
  readonly #byPath = new Map<string, FlatEntry>();
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  /** Folded paths and the spelling that took each; only when strict. */
  readonly #folded: Map<string, string> | undefined;
  #bytes = 0;

  constructor(limits: ArchiveLimits = {}) {
    this.#maxBytes = limits.bytes ?? FILES_BYTES;
    this.#maxEntries = limits.entries ?? FILES_ENTRIES;
    this.#folded = limits.strict === true ? new Map() : undefined;
  }

  /** Whether what two programs could read in two ways is refused. */
  get isStrict(): boolean {
    return this.#folded !== undefined;
  }

  /** Counts bytes that are about to be unpacked. Throws SandboxError `quota`. */
  reserve(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw new SandboxError("quota", `the archive unpacks to more than ${this.#maxBytes} bytes`);
    }
  }

  /**
   * The path as it will be kept: no leading "./", no slash at the end; "" for the root.
   *
   * @throws SandboxError `bad_archive` for a name that leads out of the archive or cannot be.
   */
  cleanPath(name: string): string {
    if (this.#folded && name.includes("\\")) {
      throw broken(`the path ${JSON.stringify(name)} has a backslash in it`);
    }
    if (name.startsWith("/")) throw broken(`the path ${JSON.stringify(name)} is absolute`);
    const names = name
      .replace(/^(\.\/+)+/, "")
      .replace(/\/+$/, "")
      .split("/");
    if (names.length === 1 && (names[0] === "" || names[0] === ".")) return "";
    if (names.includes(".."))
      throw broken(`the path ${JSON.stringify(name)} leads out of the archive`);
    try {
      for (const part of names) checkName(part, "the archive");
    } catch (cause) {
      throw broken((cause as Error).message, cause);
    }
    if (names.length > PATH_DEPTH || name.length > PATH_BYTES) throw broken("a path is too long");
    return names.join("/");
  }

  /** Adds an entry with a clean path, and the folders above it. */
  add(entry: FlatEntry): void {
    if (this.#folded && entry.type === "link") throw broken(`${entry.path} is a link`);
    if (entry.path === "") return;
    for (
      let slash = entry.path.indexOf("/");
      slash >= 0;
      slash = entry.path.indexOf("/", slash + 1)
    ) {
      this.#put({ path: entry.path.slice(0, slash), type: "directory" });
    }
    this.#put(entry);
  }

  /** A file that was added before, for hard links. */
  file(path: string): FlatEntry | undefined {
    if (this.#folded) throw broken(`there is a link to ${path}`);
    return this.#byPath.get(path);
  }

  /** All entries, parents first. */
  get all(): FlatEntry[] {
    return [...this.#byPath.values()];
  }

  #put(entry: FlatEntry): void {
    const known = this.#byPath.get(entry.path);
    if (known?.type === "directory" && entry.type === "directory") return;
    if (known !== undefined) throw broken(`${JSON.stringify(entry.path)} is in it twice`);
    if (this.#byPath.size >= this.#maxEntries) {
      throw new SandboxError("quota", `the archive has more than ${this.#maxEntries} entries`);
    }
    this.#fold(entry.path);
    this.#byPath.set(entry.path, entry);
  }

  /** A disk may take two spellings for one name. */
  #fold(path: string): void {
    if (!this.#folded) return;
    const folded = path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
    const other = this.#folded.get(folded);
    if (other !== undefined) {
      throw broken(
        `${JSON.stringify(other)} and ${JSON.stringify(path)} are one name on some disks`,
      );
    }
    this.#folded.set(folded, path);
  }
}

/** The error of an archive that is hostile or damaged. */
export function broken(message: string, cause?: unknown): SandboxError {
  return new SandboxError("bad_archive", message, cause === undefined ? {} : { cause });
}
