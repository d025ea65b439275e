// The list of what a stored volume holds: written last, sealed with a digest, checked when it is read; page.

import { SandboxError } from "../errors.ts";
import { splitPath } from "./tree.ts";

/** The layout of what is stored. A newer one is refused, not guessed at. */
const FORMAT = 1;

/** An entry of the list; a file's bytes lie in a blob that is named by their SHA-256. */
export type StoredEntry =
  | { readonly path: string; readonly type: "directory" }
  | { readonly path: string; readonly type: "link"; readonly target: string }
  | {
      readonly path: string;
      readonly type: "file";
      readonly blob: string;
      readonly size: number;
      readonly modified?: number;
    };

/** One saved state. */
export interface VolumeManifest {
  /** Grows with every save; the highest one counts. */
  readonly generation: number;
  /** Drawn anew whenever a volume begins: one that was deleted counts its generations from 1 again. */
  readonly life?: string;
  readonly name: string;
  readonly entries: readonly StoredEntry[];
}

/** Lowercase hex SHA-256. */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Bytes at the start of a list in which its version stands. */
const HEAD_BYTES = 96;

/** Which state of which life of a volume a list is of. */
export type ListVersion = Pick<VolumeManifest, "generation" | "life">;

/** The version that a stored list claims, without reading it whole. */
export async function versionOf(file: Blob | undefined): Promise<ListVersion | undefined> {
  if (!file) return undefined;
  const head = await file.slice(0, HEAD_BYTES).text();
  const found = /^\{"format":\d+,"generation":(\d{1,15}),(?:"life":"([0-9a-f]{16})",)?/.exec(head);
  if (!found) return undefined;
  const life = found[2] === undefined ? {} : { life: found[2] };
  return { generation: Number(found[1]), ...life };
}

/** The name of a life that begins. */
export function newLife(): string {
  const random = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A line of JSON, and a line with the digest of the first. */
export async function formatManifest(manifest: VolumeManifest): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const text = `${JSON.stringify({ format: FORMAT, ...manifest })}\n`;
  return encoder.encode(`${text}${await sha256Hex(encoder.encode(text))}\n`);
}

/**
 * Reads one. Undefined when it is cut off or was changed, as a digest shows.
 *
 * @throws SandboxError `bad_volume` for one that is whole and of a newer format
 */
export async function parseManifest(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<VolumeManifest | undefined> {
  const end = bytes.indexOf(10);
  if (end < 0) return undefined;
  const line = bytes.slice(0, end + 1);
  const seal = new TextDecoder().decode(bytes.subarray(end + 1));
  if (seal !== `${await sha256Hex(line)}\n`) return undefined;
  const value = JSON.parse(new TextDecoder().decode(line)) as VolumeManifest & { format: unknown };
  if (value.format !== FORMAT) {
    throw new SandboxError(
      "bad_volume",
      `the volume was stored in the format ${String(value.format)}, and this version knows ${FORMAT}`,
      { data: { format: value.format } },
    );
  }
  return Array.isArray(value.entries) && value.entries.every(isStored) ? value : undefined;
}

/** The digest keeps accidents out; what it cannot keep out, another page of this origin, must not lead to other paths. */
function isStored(entry: StoredEntry): boolean {
  try {
    if (splitPath(`/${entry.path}`)[0] !== "data") return false;
  } catch {
    return false;
  }
  return entry.type !== "file" || /^[0-9a-f]{64}$/.test(entry.blob);
}
