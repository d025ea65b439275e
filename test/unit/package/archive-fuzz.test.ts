// Three thousand seeded mutations of package archives: a typed error, or names that are safe on every disk; Node.

import { gzipSync, strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { readPackage, type PackageParts } from "../../../src/package/read-package.ts";
import { randomOf } from "../wasm/mutate.ts";
import { tarEntry } from "./tar-entry.ts";

const ROUNDS = 3_000;
const MANIFEST = strToU8('{"abi":1}');
const MODULE = strToU8("\0asm\x01\0\0\0".padEnd(300, "\0"));

const TAR = Buffer.concat([
  tarEntry("module.wasm", MODULE),
  tarEntry("subako-package.json", MANIFEST),
  tarEntry("p", strToU8("15 path=a/b/cc\n"), "x"),
  tarEntry("q", strToU8("x")),
  tarEntry("L", strToU8("longer/name\0"), "L"),
  tarEntry("d/", new Uint8Array(0), "5"),
  tarEntry("d/e", strToU8("y")),
  new Uint8Array(1_024),
]);
const ZIP = zipSync({
  "module.wasm": MODULE,
  "subako-package.json": MANIFEST,
  a: { b: strToU8("hello ".repeat(50)) },
  c: [strToU8("stored"), { level: 0 }],
});
/** What names are made hostile of, and what ends them early. */
const SPITEFUL = [...strToU8("/.\\Aa\0"), 0xff, 0xc3];

function mutate(archive: Uint8Array, isTar: boolean, random: () => number): Uint8Array {
  const bytes = Uint8Array.from(archive);
  const below = (most: number): number => Math.floor(random() * most);
  for (let left = 1 + below(4); left > 0; left--) {
    const at = below(bytes.length);
    bytes[at] = random() < 0.5 ? SPITEFUL[below(SPITEFUL.length)]! : below(256);
    // Most of the headers get a checksum that is right again, or nothing behind it would be read.
    if (isTar && random() < 0.8) seal(bytes.subarray(at - (at % 512), at - (at % 512) + 512));
  }
  return bytes;
}

function seal(header: Uint8Array): void {
  header.fill(32, 148, 156);
  const sum = header.reduce((a, b) => a + b, 0);
  header.set(strToU8(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
}

function expectSafe({ assets }: PackageParts): void {
  const paths = assets.map(({ path }) => path);
  for (const path of paths) {
    expect(path).not.toMatch(/^\/|\\|\0|(^|\/)\.{0,2}(\/|$)/);
  }
  const folded = new Set(paths.map((path) => path.normalize("NFC").toLowerCase()));
  expect(folded.size).toBe(paths.length);
  expect(assets.every(({ type }) => type === "file" || type === "directory")).toBe(true);
}

test("mutated archives", { timeout: 60_000 }, async () => {
  const random = randomOf(11);
  const outcomes: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const isTar = round % 3 !== 0;
    const bytes = mutate(isTar ? TAR : ZIP, isTar, random);
    const file = round % 3 === 2 ? gzipSync(bytes, { level: 1 }) : bytes;
    let outcome = "read";
    try {
      expectSafe(await readPackage(new Uint8Array(file)));
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      outcome = error.code;
    }
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  expect(Object.keys(outcomes).toSorted()).toEqual(["bad_archive", "bad_package", "quota", "read"]);
});
