// Checks a module against a Subresource Integrity value; page and Node.

import { SandboxError } from "../errors.ts";
import { digest, noDigest } from "./digest-of.ts";

/** Strongest last, as the SRI rules want it. */
const ALGORITHMS = ["sha256", "sha384", "sha512"];

/**
 * Throws SandboxError `integrity_mismatch` unless the bytes have one of the digests of the strongest kind given, and
 * `bad_option` for a value that names no digest, `unsupported` where none can be computed. Undefined asks for nothing.
 */
export async function checkIntegrity(
  integrity: string | undefined,
  bytes: Uint8Array<ArrayBuffer> | Uint8Array,
): Promise<void> {
  if (integrity === undefined) return;
  const wanted = integrity
    .trim()
    .split(/\s+/)
    .map((value) => /^(sha256|sha384|sha512)-([A-Za-z0-9+/]+={0,2})$/.exec(value))
    .filter((match) => match !== null)
    .map(([, algorithm, text]) => ({ algorithm: algorithm!, digest: text! }));
  const strongest = ALGORITHMS.findLast((name) =>
    wanted.some(({ algorithm }) => algorithm === name),
  );
  if (!strongest) {
    throw new SandboxError("bad_option", 'integrity has to be like "sha384-…" (base64)');
  }
  const name = strongest.replace("sha", "SHA-");
  const own = (await digest(name, bytes as Uint8Array<ArrayBuffer>)) ?? noDigest("integrity");
  const found = btoa(String.fromCharCode(...own));
  if (wanted.some((value) => value.algorithm === strongest && value.digest === found)) return;
  throw new SandboxError(
    "integrity_mismatch",
    `the module's digest is ${strongest}-${found}, which is not what integrity asks for; it was changed, or is another ` +
      "version",
    { data: { found: `${strongest}-${found}` } },
  );
}
