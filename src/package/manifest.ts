// subako-package.json: which ABI a package speaks, and what it calls itself; anywhere.

import { SandboxError } from "../errors.ts";
import { PACKAGE_ABI, PACKAGE_DESCRIPTION_CHARACTERS, PACKAGE_MANIFEST_BYTES } from "../limits.ts";
import { isObject } from "./message.ts";

/** The manifest's name in an archive. */
export const MANIFEST_NAME = "subako-package.json";

/** A manifest. Keys that are not known here are left alone. */
export interface PackageManifest {
  readonly abi: 1;
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly [key: string]: unknown;
}

/** Characters that the optional texts may have. */
const TEXTS: Readonly<Record<string, number>> = {
  name: 64,
  description: PACKAGE_DESCRIPTION_CHARACTERS,
  version: 64,
};

/**
 * Reads a manifest and checks it.
 *
 * @throws SandboxError `bad_package`, with the field and what it has to be in `data`
 */
export function readManifest(bytes: Uint8Array): PackageManifest {
  if (bytes.length > PACKAGE_MANIFEST_BYTES) {
    throw wrong("size", PACKAGE_MANIFEST_BYTES, `has more than ${PACKAGE_MANIFEST_BYTES} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw wrong("manifest", "JSON", "is not JSON in UTF-8");
  }
  return checkManifest(value);
}

/** The same, of a value. */
export function checkManifest(value: unknown): PackageManifest {
  if (!isObject(value)) throw wrong("manifest", "object", "is not a JSON object");
  const { abi } = value;
  if (abi !== PACKAGE_ABI) {
    const named = abi === undefined ? "no abi" : `the abi ${JSON.stringify(abi)?.slice(0, 40)}`;
    throw wrong("abi", PACKAGE_ABI, `names ${named}; served is abi ${PACKAGE_ABI}`);
  }
  for (const [field, most] of Object.entries(TEXTS)) {
    const text = value[field];
    if (text === undefined) continue;
    if (typeof text !== "string" || [...text].length > most) {
      throw wrong(field, most, `has a ${field} that is no text of at most ${most} characters`);
    }
    // The name is an argument of the guest, which ends where a NUL is.
    if (text.includes("\0")) throw wrong(field, "no NUL", `has a ${field} with a NUL in it`);
  }
  return value as PackageManifest;
}

function wrong(field: string, limit: number | string, message: string): SandboxError {
  return new SandboxError("bad_package", `${MANIFEST_NAME} ${message}`, { data: { field, limit } });
}
