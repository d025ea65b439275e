// A package from its bytes: a bare module, or an archive of module, manifest and assets; anywhere.

import { SandboxError } from "../errors.ts";
import {
  FILES_BYTES,
  PACKAGE_ARCHIVE_ENTRIES,
  PACKAGE_ARCHIVE_LEAST_BYTES,
  PACKAGE_ARCHIVE_RATIO,
} from "../limits.ts";
import type { FlatEntry } from "../files/tree.ts";
import { MANIFEST_NAME, readManifest, type PackageManifest } from "./manifest.ts";

/** The module's name in an archive. */
export const MODULE_NAME = "module.wasm";

/** What a package is made of. */
export interface PackageParts {
  readonly module: Uint8Array<ArrayBuffer>;
  /** Undefined for a bare module. */
  readonly manifest: PackageManifest | undefined;
  /** What the guest sees at /package, folders before what they hold; none for a bare module. */
  readonly assets: readonly FlatEntry[];
}

/**
 * Takes a package apart. Of an archive everything but the module and the manifest is an asset, by its own path. Nothing
 * of a hostile archive is kept: links, absolute paths, "..", backslashes, names that differ only by case or Unicode
 * form, and what unpacks to more than 100 times its size are refused.
 *
 * @throws SandboxError `bad_archive` and `quota` for an archive; `bad_package` for what is or is not in it
 */
export async function readPackage(bytes: Uint8Array<ArrayBuffer>): Promise<PackageParts> {
  if (!isArchive(bytes)) return { module: bytes, manifest: undefined, assets: [] };
  const { readArchive } = await import("../files/archive.ts");
  const entries = await readArchive(bytes, {
    bytes: mostBytes(bytes.length),
    entries: PACKAGE_ARCHIVE_ENTRIES,
    strict: true,
  });
  const module = fileOf(entries, MODULE_NAME);
  const manifest = fileOf(entries, MANIFEST_NAME);
  if (!module || !manifest) throw missing(entries, module ? MANIFEST_NAME : MODULE_NAME);
  return {
    // A view of the archive would keep all of it.
    module: module.slice(),
    manifest: readManifest(manifest),
    assets: entries.filter(({ path }) => path !== MODULE_NAME && path !== MANIFEST_NAME),
  };
}

/** A zip, a gzip, or a tar; everything else is taken for a module, and whoever inspects it says what it looks like. */
function isArchive(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 4));
  const isTar = String.fromCharCode(...bytes.subarray(257, 262)) === "ustar";
  return head.startsWith("PK") || head.startsWith("\x1f\x8b") || (isTar && head !== "\0asm");
}

function mostBytes(archiveBytes: number): number {
  const most = Math.max(PACKAGE_ARCHIVE_LEAST_BYTES, archiveBytes * PACKAGE_ARCHIVE_RATIO);
  return Math.min(FILES_BYTES, most);
}

function fileOf(entries: readonly FlatEntry[], name: string): Uint8Array | undefined {
  const entry = entries.find(({ path }) => path === name);
  return entry?.type === "file" ? entry.bytes : undefined;
}

function missing(entries: readonly FlatEntry[], name: string): SandboxError {
  const deeper = entries.find(({ path }) => path.endsWith(`/${name}`));
  const hint = deeper ? `; it lies in ${deeper.path}, and has to be at the top` : "";
  return new SandboxError("bad_package", `the archive has no ${name}${hint}`, {
    data: { field: name, limit: "file" },
  });
}
