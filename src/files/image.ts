// image(source): a read-only tree from objects or an archive, shared by runs and workers; page.

import { SandboxError } from "../errors.ts";
import type { ArchiveLimits } from "./entry-list.ts";
import type { Progress } from "./fetch-bytes.ts";
import { Image, packImage } from "./pack-image.ts";
import { flatten, type FlatEntry, type ShimDirectory, type Tree } from "./tree.ts";

export { Image, packImage } from "./pack-image.ts";
export type { ImageData, ImageEntry } from "./pack-image.ts";

/** Where an archive comes from: bytes, a URL to fetch, or an answer that is here already. */
export type ArchiveSource = Uint8Array | ArrayBuffer | Blob | string | URL | Response;

/** Options of {@link image}. */
export interface ImageOptions {
  /** Runs may write; each keeps its changes, and its result's `files` has them. Default false: read-only. */
  readonly copyOnWrite?: boolean;
  /** Told while an archive is fetched; `total` is undefined where the server does not say. */
  readonly onProgress?: Progress;
  /** Ends the fetching of an archive. */
  readonly signal?: AbortSignal;
  /** What an archive may unpack to: by default 256 MiB and 65,536 entries. */
  readonly limits?: ArchiveLimits;
  /** A folder of the archive that becomes the root. */
  readonly root?: string;
}

/**
 * A tree that is packed once and then shared by any number of runs, without a copy where the page may share memory.
 *
 * Give objects as for `memory`, and the image is there at once. Give a zip, tar or tar.gz (bytes, a `Blob`, a `Response`
 * or a URL to fetch), and it is a promise.
 *
 * @throws SandboxError `bad_path` and `bad_option` for a tree that cannot be; `load_failed`, `bad_archive` for an
 * archive; `quota` for either when it is too large; `aborted`.
 * @example
 * const stdlib = await image("/python311.zip", { onProgress: ({ loaded, total }) => {} });
 * const assets = image({ "logo.svg": bytes, fonts: { "a.woff2": more } });
 * sandbox.run({ mounts: { "/lib": stdlib, "/assets": assets } });
 */
export function image(source: ArchiveSource, options?: ImageOptions): Promise<Image>;
export function image(source: Tree | ShimDirectory, options?: ImageOptions): Image;
export function image(
  source: ArchiveSource | Tree | ShimDirectory,
  options: ImageOptions = {},
): Image | Promise<Image> {
  if (isArchiveSource(source)) return imageOfArchive(source, options);
  return imageOf(flatten(source, ""), options);
}

function isArchiveSource(source: unknown): source is ArchiveSource {
  return (
    typeof source === "string" ||
    source instanceof URL ||
    source instanceof Response ||
    source instanceof Blob ||
    source instanceof ArrayBuffer ||
    ArrayBuffer.isView(source)
  );
}

async function imageOfArchive(source: ArchiveSource, options: ImageOptions): Promise<Image> {
  const [{ readArchive }, { fetchBytes }] = await Promise.all([
    import("./archive.ts"),
    import("./fetch-bytes.ts"),
  ]);
  const bytes = await fetchBytes(source, options);
  return imageOf(await readArchive(bytes, options.limits), options);
}

function imageOf(entries: readonly FlatEntry[], options: ImageOptions): Image {
  const { root, copyOnWrite = false } = options;
  if (root === undefined) return new Image(packImage(entries), copyOnWrite);
  const prefix = `${root.replace(/^\/+|\/+$/g, "")}/`;
  const inside = entries
    .filter(({ path }) => path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
  if (inside.length === 0 && !entries.some(({ path }) => `${path}/` === prefix)) {
    throw new SandboxError("bad_path", `there is no folder ${JSON.stringify(root)} in it`);
  }
  return new Image(packImage(inside), copyOnWrite);
}
