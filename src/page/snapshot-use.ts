// The snapshot that a sandbox has, and the workers that start runs from it; page and Node.

import type { SnapshotImage } from "../wire/snapshot.ts";
import type { GuestWorker } from "./guest-worker.ts";
import type { InPlace } from "./in-place.ts";
import type { SnapshotOrigin } from "./snapshot-image.ts";

/** What a sandbox has of its snapshot. */
export class Snapshot {
  readonly image: SnapshotImage;
  /** What the image was made of; nothing where the module is in that state as it is. */
  readonly origin: SnapshotOrigin | undefined;
  readonly inPlace: InPlace;

  constructor(image: SnapshotImage, origin: SnapshotOrigin | undefined, inPlace: InPlace) {
    this.image = image;
    this.origin = origin;
    this.inPlace = inPlace;
  }

  /** All runs of the worker start from it. */
  async give(worker: GuestWorker): Promise<void> {
    await worker.useSnapshot(this.image);
    this.inPlace.add(worker);
  }
}
