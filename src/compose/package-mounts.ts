// What an instance of a package sees of files: the preopens of ABI 1, in its order; page and Node.

import { SandboxError } from "../errors.ts";
import { Image, packImage, type ImageData } from "../files/pack-image.ts";
import { MemoryTree } from "../files/memory.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import { checkName, flatten, type FlatEntry, type Tree } from "../files/tree.ts";
import type { VolumeContent } from "../files/volume-content.ts";

/** Skills by name, each a folder below /skills: an image, a memory tree, or nested objects. Read-only for the guest. */
export type Skills = Readonly<Record<string, Image | MemoryTree | Tree>>;

/** The mounts of one package. Images are packed once. */
export class PackageMounts {
  readonly #assets: PreopenSpec[];
  readonly #noSkills = packImage([]);
  /** Trees given as objects, packed; by the object. */
  readonly #packed = new WeakMap<object, ImageData>();

  constructor(assets: readonly FlatEntry[]) {
    this.#assets = assets.length === 0 ? [] : [readOnly("/package", packImage(assets))];
  }

  /** While it is asked for its tools a package sees its assets and nothing else. */
  discovery(): readonly PreopenSpec[] {
    return this.#assets;
  }

  /** @throws SandboxError `bad_path`, `bad_option` for skills that cannot be */
  call(content: VolumeContent, withData: boolean, skills: Skills): readonly PreopenSpec[] {
    return [
      writable("/volume/tmp", content.under("tmp")),
      ...(withData ? [writable("/volume/data", content.under("data"))] : []),
      ...this.#assets,
      readOnly("/skills", this.#noSkills),
      ...Object.entries(skills).map(([name, tree]) => this.#skill(name, tree)),
    ];
  }

  #skill(name: string, tree: Image | MemoryTree | Tree): PreopenSpec {
    checkName(name, "/skills");
    const path = `/skills/${name}`;
    if (tree instanceof Image) return readOnly(path, tree.data);
    if (typeof tree !== "object" || tree === null || tree instanceof Promise) {
      throw new SandboxError("bad_option", `the skill ${name} is no tree and no image`);
    }
    let image = this.#packed.get(tree);
    if (!image) {
      image = packImage(tree instanceof MemoryTree ? tree.entries : flatten(tree, path));
      this.#packed.set(tree, image);
    }
    return readOnly(path, image);
  }
}

function writable(path: string, entries: readonly FlatEntry[]): PreopenSpec {
  return { path, source: { kind: "memory", entries } };
}

function readOnly(path: string, image: ImageData): PreopenSpec {
  return { path, source: { kind: "image", image, copyOnWrite: false } };
}
