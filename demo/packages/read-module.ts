// The module of what was dropped: the file itself, or module.wasm of an archive, for the inspection; page.
import { image } from "sallyport";

/** Of a file that is no archive the bytes as they are; undefined for an archive that is broken, or has no module. */
export async function readModule(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const head = String.fromCharCode(...bytes.subarray(0, 2));
  if (head !== "PK" && head !== "\x1f\x8b") return bytes;
  try {
    const { entries, buffer } = (await image(bytes)).data;
    for (const entry of entries) {
      if (entry[0] !== "file" || entry[1] !== "module.wasm") continue;
      return new Uint8Array(buffer, entry[2], entry[3]).slice();
    }
  } catch {
    // loadPackage tells what is wrong with the archive
  }
  return undefined;
}
