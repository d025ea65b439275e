// Images that a worker has already got: they cross once per worker, not once per run; page and worker.

import type { ImageData } from "./pack-image.ts";
import type { PreopenSpec } from "./preopens.ts";

const NOTHING = new ArrayBuffer(0);

/**
 * The page's side, one per worker: what the worker keeps. Both sides keep the images of the last run only, so neither
 * has to tell the other what it dropped.
 */
export class SentImages {
  #sent = new Set<string>();

  /** The same preopens, without the content of images that the worker has. Send exactly these, in this order of runs. */
  lean(specs: readonly PreopenSpec[]): PreopenSpec[] {
    const before = this.#sent;
    this.#sent = new Set();
    return specs.map((spec) => {
      const { source } = spec;
      if (source.kind !== "image") return spec;
      const { id } = source.image;
      const known = before.has(id) || this.#sent.has(id);
      this.#sent.add(id);
      if (!known) return spec;
      return { ...spec, source: { ...source, image: { id, entries: [], buffer: NOTHING } } };
    });
  }
}

/** The worker's side. */
export class KeptImages {
  #kept = new Map<string, ImageData>();

  /** The preopens with their content again. */
  complete(specs: readonly PreopenSpec[]): PreopenSpec[] {
    const before = this.#kept;
    this.#kept = new Map();
    return specs.map((spec) => {
      const { source } = spec;
      if (source.kind !== "image") return spec;
      const { id } = source.image;
      const image = before.get(id) ?? this.#kept.get(id) ?? source.image;
      this.#kept.set(id, image);
      return { ...spec, source: { ...source, image } };
    });
  }
}
