// Images cross to a worker once, and both sides agree on what it has.

import { expect, test } from "vitest";
import { image } from "../../../src/files/image.ts";
import { KeptImages, SentImages } from "../../../src/files/image-cache.ts";
import { memory } from "../../../src/files/memory.ts";
import { preopensFrom, type FileOptions } from "../../../src/files/preopens.ts";

test("an image's content is sent the first time, and again only after a run without it", () => {
  const [a, b] = [image({ f: "aaaa" }), image({ f: "bb" })];
  const page = new SentImages();
  const worker = new KeptImages();
  const runs: [NonNullable<FileOptions["mounts"]>, number][] = [
    [{ "/a": a, "/again": a, "/m": memory({}) }, 4],
    [{ "/a": a, "/b": b }, 2],
    [{ "/b": b.writable(), "/a": a }, 0],
    [{ "/b": b }, 0],
    [{ "/a": a, "/b": b }, 4],
    [{}, 0],
    [{ "/b": b }, 2],
  ];
  for (const [mounts, bytes] of runs) {
    const specs = preopensFrom({ mounts });
    const lean = page.lean(specs);
    const sent = lean.map(({ source }) =>
      source.kind === "image" ? source.image.buffer.byteLength : 0,
    );
    expect(sent.reduce((x, y) => x + y, 0)).toBe(bytes);
    expect(worker.complete(structuredClone(lean))).toEqual(specs);
  }
});
