// Digests of bytes, where the browser computes them; page and Node.

import { SandboxError } from "../errors.ts";

/** Undefined on a page that is no secure context: the browser computes none there. */
export async function digest(
  algorithm: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  return subtle && new Uint8Array(await subtle.digest(algorithm, bytes));
}

/** SHA-256 in hex: what tells modules and snapshots apart. Throws SandboxError `unsupported` where none is computed. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const found = (await digest("SHA-256", bytes)) ?? noDigest("a snapshot");
  return [...found].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Throws the error for what cannot be had without a digest. */
export function noDigest(purpose: string): never {
  throw new SandboxError(
    "unsupported",
    `${purpose} needs a digest, which browsers compute on secure pages only: serve this one from https or localhost`,
  );
}
