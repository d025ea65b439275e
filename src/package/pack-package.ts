// packPackage(): makes the archive of a function package; anywhere.

import { SandboxError } from "../errors.ts";
import { EntryList } from "../files/entry-list.ts";
import { flatten, type FlatEntry, type Tree } from "../files/tree.ts";
import {
  PACKAGE_ABI,
  PACKAGE_ARCHIVE_ENTRIES,
  PACKAGE_ARCHIVE_LEAST_BYTES,
  PACKAGE_ARCHIVE_RATIO,
} from "../limits.ts";
import { checkManifest, MANIFEST_NAME, type PackageManifest } from "./manifest.ts";
import { MODULE_NAME } from "./read-package.ts";
import { refuseProblems } from "./refuse-problems.ts";

/** What {@link packPackage} packs. */
export interface PackOptions {
  readonly module: BufferSource;
  /** At most 64 characters each; a description at most 1,024. */
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  /** What the guest sees at /package: nested objects of bytes and text, as for `memory()`. */
  readonly assets?: Tree;
  /**
   * A command line to bake into the module, argv[0] included: ABI 1 gives a package one entry and no variables, so a
   * stock interpreter would not know its program. Every `args_get` of the module then answers this.
   */
  readonly argv?: readonly string[];
  /** Environment variables to bake in. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Packs a module with its manifest and assets into a zip that `loadPackage` (and Subako) takes. The module is inspected
 * first. The same options give the same bytes.
 *
 * @throws SandboxError `bad_package` (with the problems in `data`), `bad_option`, `bad_path`, `bad_archive`, `quota`
 * @example
 * const zip = await packPackage({ module: wasm, name: "greeter", assets: { "names.txt": "Ada\n" } });
 * const greeter = await loadPackage(zip);
 */
export async function packPackage(options: PackOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { assets = {}, argv, env } = options;
  const given = bytesOf(options.module);
  await refuseProblems(given);
  const module = argv || env ? await bake(given, argv, env) : given;
  const manifest = manifestOf(options);
  const list = new EntryList({ entries: PACKAGE_ARCHIVE_ENTRIES, strict: true });
  list.add({ path: MODULE_NAME, type: "file", bytes: module });
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  list.add({ path: MANIFEST_NAME, type: "file", bytes: new TextEncoder().encode(text) });
  for (const entry of flatten(assets, "assets")) list.add(checked(list, entry));
  const sizes = list.all.map((entry) => (entry.type === "file" ? entry.bytes.length : 0));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  list.reserve(bytes);
  const { writeZip } = await import("../files/write-zip.ts");
  const isSmall = bytes <= PACKAGE_ARCHIVE_LEAST_BYTES;
  return writeZip(list.all, isSmall ? {} : { mostRatio: PACKAGE_ARCHIVE_RATIO });
}

function bytesOf(module: BufferSource): Uint8Array<ArrayBuffer> {
  if (module instanceof ArrayBuffer) return new Uint8Array(module);
  if (ArrayBuffer.isView(module)) {
    return new Uint8Array(module.buffer, module.byteOffset, module.byteLength).slice();
  }
  throw new SandboxError("bad_option", "the option module is wrong: it has to be bytes");
}

async function bake(
  module: Uint8Array<ArrayBuffer>,
  argv: readonly string[] | undefined,
  env: PackOptions["env"],
): Promise<Uint8Array<ArrayBuffer>> {
  const { bakeCommandLine } = await import("./bake-command-line.ts");
  const baked = bakeCommandLine(module, { ...(argv ? { argv } : {}), ...(env ? { env } : {}) });
  await refuseProblems(baked);
  return baked;
}

function manifestOf({ name, description, version }: PackOptions): PackageManifest {
  return checkManifest({
    abi: PACKAGE_ABI,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
  });
}

function checked(list: EntryList, entry: FlatEntry): FlatEntry {
  return { ...entry, path: list.cleanPath(entry.path) };
}
