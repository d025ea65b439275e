// The halves of the tool protocol that guests import, as one read-only image; page and Node.

import { GUEST_HALVES } from "./guest-halves.generated.ts";
import { Image, packImage } from "./image.ts";
import { flatten } from "./tree.ts";

let image: Image | undefined;

/** The image, packed once: `python/host`, `ruby`, `javascript`. */
export function guestHalves(): Image {
  return (image ??= new Image(packImage(flatten(nested(GUEST_HALVES), "")), false));
}

/** Paths to text, as nested folders. */
function nested(texts: Readonly<Record<string, string>>): TextTree {
  const root: TextTree = {};
  for (const [path, text] of Object.entries(texts)) {
    const names = path.split("/");
    const file = names.pop()!;
    let folder = root;
    for (const name of names) folder = (folder[name] ??= {}) as TextTree;
    folder[file] = text;
  }
  return root;
}

interface TextTree {
  [name: string]: string | TextTree;
}
