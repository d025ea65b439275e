// The snapshot that a sandbox has, and the workers that start runs from it; page and Node.

import type { SnapshotImage } from "../wire/snapshot.ts";
import type { GuestWorker } from "./guest-worker.ts";
import type { SnapshotOrigin } from "./snapshot-image.ts";

/** What a sandbox has of its snapshot. */
export class Snapshot {
  readonly image: SnapshotImage;
  readonly origin: SnapshotOrigin;
  /** Instances may be put back: the module's code has been read for it. */
  #inPlace: boolean;
  #workers: GuestWorker[] = [];
  #prove: (() => Promise<boolean>) | undefined;

  /** With `prove` runs get fresh instances until it has said yes. */
  constructor(image: SnapshotImage, origin: SnapshotOrigin, prove?: () => Promise<boolean>) {
    this.image = image;
    this.origin = origin;
    this.#inPlace = prove === undefined;
    this.#prove = prove;
  }

  /** All runs of the worker start from it. */
  async give(worker: GuestWorker): Promise<void> {
    this.#workers = this.#workers.filter(({ over }) => !over);
    this.#workers.push(worker);
    await worker.useSnapshot(this.image, this.#inPlace);
  }

  /** Once the first run is over: that one did not have to wait for it. */
  async proveLater(): Promise<void> {
    const prove = this.#prove;
    this.#prove = undefined;
    if (!prove) return;
    // Whoever waits for the run hears of it first.
    await new Promise((resolve) => setTimeout(resolve));
    // A part of the library that does not load leaves runs with fresh instances.
    this.#inPlace = await prove().catch(() => false);
    if (!this.#inPlace) return;
    for (const worker of this.#workers) if (!worker.over) worker.allowInPlace();
  }
}
