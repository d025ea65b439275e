// Bytes that are no module a sandbox can run, each with what is wrong with it; for tests, any realm.

/** The preamble of a core module: magic and version 1. */
const preamble = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

/** Bytes by name; `problem` is the code of the error that loading them should give. */
export interface BrokenBytes {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly problem: "not_wasm" | "truncated" | "malformed" | "component";
}

/**
 * What a page may be given in place of a module.
 *
 * @param whole a good module, which is cut and bent
 * @example
 * for (const { name, bytes, problem } of brokenBytes(hello)) await expectCode(load(bytes), problem);
 */
export function brokenBytes(whole: Uint8Array): BrokenBytes[] {
  const text = (value: string) => new TextEncoder().encode(value);
  const bent = (at: number, byte: number) => {
    const copy = whole.slice();
    copy[at] = byte;
    return copy;
  };
  return [
    { name: "nothing", bytes: new Uint8Array(0), problem: "not_wasm" },
    { name: "an error page", bytes: text("<!doctype html><h1>404</h1>"), problem: "not_wasm" },
    { name: "a module's text", bytes: text("(module)"), problem: "not_wasm" },
    { name: "a pointer of Git LFS", bytes: text("version https://git-lfs"), problem: "not_wasm" },
    { name: "gzip", bytes: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), problem: "not_wasm" },
    { name: "another magic", bytes: bent(3, 0x6e), problem: "not_wasm" },
    {
      name: "half of the magic",
      bytes: Uint8Array.from(preamble.slice(0, 2)),
      problem: "truncated",
    },
    { name: "the magic alone", bytes: Uint8Array.from(preamble.slice(0, 4)), problem: "truncated" },
    {
      name: "a component",
      bytes: Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0),
      problem: "component",
    },
    { name: "version 2", bytes: bent(4, 2), problem: "malformed" },
    {
      name: "a section longer than the file",
      bytes: Uint8Array.of(...preamble, 1, 0x7f),
      problem: "truncated",
    },
    { name: "one byte short", bytes: whole.slice(0, -1), problem: "truncated" },
    { name: "half a module", bytes: whole.slice(0, whole.length >> 1), problem: "truncated" },
    { name: "an unknown section", bytes: Uint8Array.of(...preamble, 99, 0), problem: "malformed" },
    {
      name: "sections in the wrong order",
      bytes: Uint8Array.of(...preamble, 3, 1, 0, 1, 1, 0),
      problem: "malformed",
    },
  ];
}
