// Where images of snapshots come from: the caller, or Cache Storage; page and Node.

import { SandboxError } from "../errors.ts";
import type { SnapshotImage } from "../wire/snapshot.ts";
import type { SnapshotOrigin } from "./snapshot-image.ts";

/** The image that the caller gave. Rejects with SandboxError `load_failed` and `bad_snapshot`. */
export async function givenImage(
  source: string | URL | Response | BufferSource,
  origin: SnapshotOrigin,
  fetcher: typeof fetch,
): Promise<SnapshotImage> {
  const { decodeSnapshot } = await import("./snapshot-image.ts");
  if (source instanceof ArrayBuffer) return decodeSnapshot(new Uint8Array(source), origin);
  if (ArrayBuffer.isView(source)) {
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return decodeSnapshot(bytes.slice(), origin);
  }
  const response = source instanceof Response ? source : await fetcher(source).catch(String);
  if (typeof response === "string" || !response.ok) {
    const why = typeof response === "string" ? response : `the server answered ${response.status}`;
    throw new SandboxError("load_failed", `the snapshot's image could not be fetched: ${why}`);
  }
  return decodeSnapshot(new Uint8Array(await response.arrayBuffer()), origin);
}

const CACHE = "sallyport-snapshots";

/** Undefined when there is none, or none that fits; a cache that fails is as good as none. */
export async function cachedImage(origin: SnapshotOrigin): Promise<SnapshotImage | undefined> {
  const { decodeSnapshot } = await import("./snapshot-image.ts");
  try {
    const found = await (await caches.open(CACHE)).match(await cacheKey(origin));
    return found && (await decodeSnapshot(new Uint8Array(await found.arrayBuffer()), origin));
  } catch {
    return undefined;
  }
}

/** Behind the caller's back: whoever made the image need not wait. */
export async function keepImage(image: SnapshotImage, origin: SnapshotOrigin): Promise<void> {
  const { encodeSnapshot } = await import("./snapshot-image.ts");
  try {
    const bytes = await encodeSnapshot(image, origin);
    await (await caches.open(CACHE)).put(await cacheKey(origin), new Response(bytes));
  } catch {
    // No room, or no cache on this page: the next visit makes it again.
  }
}

/** Of another module or with other options it is another entry. */
async function cacheKey(origin: SnapshotOrigin): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(origin));
  const name = await digestOf(text);
  return new URL(`/.sallyport/${name}`, globalThis.location?.href ?? "https://localhost/").href;
}

/** SHA-256 in hex. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
