// Wheels made for the playground's tests, good and bad; Node.

import { strToU8, zipSync } from "fflate";

/** A file as a file field of the page takes it. */
export interface WheelFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A wheel of these files; its metadata says what its name says, and `metadata`. */
export function wheelFile(
  name: string,
  files: Readonly<Record<string, string>>,
  metadata = "",
): WheelFile {
  const [distribution, version] = name.split("-");
  const info = `${distribution}-${version}.dist-info`;
  const texts = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${distribution}\nVersion: ${version}\n${metadata}`,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  };
  const entries = Object.entries(texts).map(([path, text]) => [path, strToU8(text)] as const);
  return file(name, zipSync(Object.fromEntries(entries)));
}

/** Any file. */
export function file(name: string, content: string | Uint8Array): WheelFile {
  return { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
}

/** What most tests import. */
export const knots = wheelFile("knots-2.1-py3-none-any.whl", {
  "knots/__init__.py": "from .names import NAMES\n",
  "knots/names.py": 'NAMES = ["bowline", "clove hitch"]\n',
  "knots/data.txt": "a file of the wheel",
});
