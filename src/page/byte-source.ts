// What bytes can be given as, apart from a compiled module; page and Node.

import { SandboxError } from "../errors.ts";

/** Whether it is a URL, a Response, or bytes. */
export function isByteSource(value: unknown): boolean {
  return (
    typeof value === "string" || value instanceof URL || value instanceof Response || isBytes(value)
  );
}

/** Whether it is bytes. */
export function isBytes(value: unknown): value is BufferSource {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** A copy of bytes. Throws TypeError for those that were transferred to somebody else. */
export function copyOfBytes(source: BufferSource): Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()
    : new Uint8Array(source.slice());
}

/** A copy of bytes that were given as `option`; `what` names them. Throws SandboxError `bad_option` for those that are gone. */
export function ownBytes(
  source: BufferSource,
  what: string,
  option: string,
): Uint8Array<ArrayBuffer> {
  try {
    return copyOfBytes(source);
  } catch (cause) {
    const message = `${what} is gone: its bytes were transferred to somebody else`;
    throw new SandboxError("bad_option", message, { cause, data: { option } });
  }
}
