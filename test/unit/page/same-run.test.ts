// Which runs a worker is told of as being like the last one; Node.

import { describe, expect, test } from "vitest";
import { packImage } from "../../../src/files/pack-image.ts";
import type { PreopenSpec } from "../../../src/files/preopens.ts";
import { isSameRun, plainRun } from "../../../src/page/same-run.ts";
import type { RunInit } from "../../../src/wire/messages.ts";

const image = packImage([{ path: "a", type: "file", bytes: new Uint8Array(1) }]);

function preopens(more: Partial<PreopenSpec> = {}): PreopenSpec[] {
  return [
    { path: "/tmp", source: { kind: "memory", entries: [] }, ...more },
    { path: "/lib", source: { kind: "image", image, copyOnWrite: false } },
  ];
}

const BASE: RunInit<PreopenSpec> = {
  args: ["guest", "-c"],
  env: { A: "1" },
  stdin: { kind: "bytes", bytes: new Uint8Array(3) },
  preopens: preopens(),
  door: false,
  http: false,
  timeoutMs: 1000,
  quotas: { fileBytes: 1, entries: 2, descriptors: 3, writeBytes: 4 },
  tty: [],
};

const other = packImage([{ path: "a", type: "file", bytes: new Uint8Array(1) }]);

const DIFFERENT: Record<string, Partial<RunInit<PreopenSpec>>> = {
  "another argument": { args: ["guest", "-m"] },
  "one argument more": { args: ["guest", "-c", "x"] },
  "another value in the environment": { env: { A: "2" } },
  "another name in the environment": { env: { B: "1" } },
  "one more name in the environment": { env: { A: "1", B: "1" } },
  "another entry": { entry: "run" },
  "a door": { door: true },
  "the network": { http: true },
  "a package": { abi1: true },
  "another quota": { quotas: { ...BASE.quotas, writeBytes: 5 } },
  "a terminal": { tty: [1] },
  "another path": { preopens: preopens({ path: "/temp" }) },
  "another image": {
    preopens: [
      preopens()[0]!,
      { path: "/lib", source: { kind: "image", image: other, copyOnWrite: false } },
    ],
  },
  "an image that may be written": {
    preopens: [
      preopens()[0]!,
      { path: "/lib", source: { kind: "image", image, copyOnWrite: true } },
    ],
  },
  "an image in the place of a tree": {
    preopens: preopens({ source: { kind: "image", image, copyOnWrite: false } }),
  },
  "one preopen less": { preopens: preopens().slice(0, 1) },
};

describe("a run like the last one", () => {
  test("differs in its stdin and its time alone", () => {
    const next = { ...BASE, args: [...BASE.args], env: { ...BASE.env }, preopens: preopens() };
    const plain = plainRun({
      ...next,
      timeoutMs: 5,
      stdin: { kind: "bytes", bytes: new Uint8Array(0) },
    });
    expect(isSameRun(plainRun(BASE)!, plain!)).toBe(true);
    expect(plain).not.toHaveProperty("stdin");
  });

  test.each(Object.entries(DIFFERENT))("has not %s", (_, change) => {
    expect(isSameRun(plainRun(BASE)!, plainRun({ ...BASE, ...change })!)).toBe(false);
    expect(isSameRun(plainRun({ ...BASE, ...change })!, plainRun(BASE)!)).toBe(false);
  });

  test.each<[string, Partial<RunInit<PreopenSpec>>]>([
    [
      "files of its own",
      {
        preopens: preopens({
          source: { kind: "memory", entries: [{ path: "d", type: "directory" }] },
        }),
      },
    ],
    ["a granted folder", { preopens: preopens({ source: { kind: "folder", folder: 0 } }) }],
    ["a fixed clock", { deterministic: { seed: 1, timeMs: 1 } }],
    [
      "a memory that the module imports",
      { importedMemory: { module: "m", name: "m", initial: 1, shared: false } },
    ],
  ])("is none with %s, and nothing of it is kept", (_, change) => {
    expect(plainRun({ ...BASE, ...change })).toBeUndefined();
  });
});
