// Where images of snapshots come from: the caller, or Cache Storage; page and Node.

import { SandboxError } from "../errors.ts";
import { inflate } from "../files/inflate.ts";
import { SNAPSHOT_HEAD_BYTES } from "../limits.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import type { SnapshotImage } from "../wire/snapshot.ts";
import { bodyBytes } from "./body-bytes.ts";
import { allPieces, restPieces } from "./body-pieces.ts";
import { readOn } from "./read-on.ts";
import { isBytes, ownBytes } from "./byte-source.ts";
import { digestOf } from "./digest-of.ts";
import type { Realm } from "./sandbox.ts";
import { bad, decodeSnapshot, encodeSnapshot, type SnapshotOrigin } from "./snapshot-image.ts";

/** How images come. */
export type ImageRealm = Pick<Realm, "fetch" | "early">;

/**
 * The bytes of the image that the caller gave, unpacked; fetched while the module is. An image may hold as many bytes as a
 * memory, and twice as many for where they go. Rejects with SandboxError `load_failed` and `bad_snapshot`.
 */
export async function imageBytes(
  source: string | URL | Response | BufferSource,
  memoryBytes: number,
  realm: ImageRealm,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const most = memoryBytes * 3 + SNAPSHOT_HEAD_BYTES;
  const bytes = await bytesOf(source, most, realm, signal);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return inflate([bytes], most).catch((cause: unknown) => bad("it is damaged", cause));
}

async function bytesOf(
  source: string | URL | Response | BufferSource,
  most: number,
  realm: ImageRealm,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  if (isBytes(source)) return ownBytes(source, "the snapshot's image", "snapshot.image");
  const early =
    source instanceof Response ? undefined : await realm.early?.(source).catch(brokeOff);
  if (early) {
    const begun = await readOn(early, () => false).catch(brokeOff);
    if (!begun.rest) return begun.bytes;
    return (await allPieces(restPieces(begun), most).catch(brokeOff)) ?? tooLong(most);
  }
  const response =
    source instanceof Response ? source : await realm.fetch(source, { signal }).catch(String);
  if (typeof response === "string" || !response.ok) {
    const why = typeof response === "string" ? response : `the server answered ${response.status}`;
    throw new SandboxError("load_failed", `the snapshot's image could not be fetched: ${why}`);
  }
  const bytes = await bodyBytes(response, most, signal).catch(brokeOff);
  return bytes ?? tooLong(most);
}

function tooLong(most: number): never {
  return bad(`it has more than ${most} bytes, which no memory of the sandbox can need`);
}

function brokeOff(cause: unknown): never {
  const message = `the snapshot's image broke off while loading: ${String(cause)}`;
  throw new SandboxError("load_failed", message, { cause });
}

const CACHE = "sallyport-snapshots";

/** Undefined when there is none, or none that fits; a cache that fails is as good as none. */
export async function cachedImage(
  origin: SnapshotOrigin,
  facts: ModuleFacts,
  memoryBytes: number,
): Promise<SnapshotImage | undefined> {
  try {
    const found = await (await caches.open(CACHE)).match(await cacheKey(origin));
    if (!found) return undefined;
    const { signal } = new AbortController();
    return decodeSnapshot(await imageBytes(found, memoryBytes, { fetch }, signal), origin, facts);
  } catch {
    return undefined;
  }
}

/** Behind the caller's back: whoever made the image need not wait. */
export async function keepImage(image: SnapshotImage, origin: SnapshotOrigin): Promise<void> {
  try {
    const bytes = await encodeSnapshot(image, origin, true);
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
