// What a model reads of a result: images by their bytes, links of the volume, notes for the rest; Node.

import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { decodeBase64, encodeBase64 } from "../../../src/package/base64.ts";
import {
  readResult,
  withImages,
  type ContentBlock,
  type LinkedImage,
} from "../../../src/package/call-result.ts";
import { callTool, toolRequest } from "../../../src/package/call-tool.ts";
import { imageFacts } from "../../../src/package/image-kind.ts";
import { modelContent } from "../../../src/package/model-content.ts";
import { RequestMaker } from "../../../src/package/requests.ts";
import { volumePath } from "../../../src/package/volume-uri.ts";
import { fakeGuest } from "./fake-guest.ts";
import { GIF, JPEG_HEAD, PNG, pngHead, WEBP_HEADS } from "./images.ts";

const requests = new RequestMaker({ name: "test", version: "1" });
const image = (bytes: Uint8Array, mimeType: string): ContentBlock => ({
  type: "image",
  mimeType,
  data: encodeBase64(bytes),
});
const link = (uri: string, name?: string): ContentBlock => ({
  type: "resource_link",
  uri,
  ...(name === undefined ? {} : { name }),
});
const text = (value: string) => ({ type: "text", text: value });

describe("base64", () => {
  test.each([[""], ["AA=="], ["AAA="], ["AAAA"], ["+/+/"]])("%j is strict", (value) => {
    expect(encodeBase64(decodeBase64(value)!)).toBe(value);
  });

  test.each([
    ["A"],
    ["AA"],
    ["AAA"],
    ["AA=A"],
    ["===="],
    ["AB=="],
    ["AAB="],
    ["AA ="],
    ["AA==\n"],
    ["-_-_"],
    ["AAAA===="],
  ])("%j is not", (value) => expect(decodeBase64(value)).toBeUndefined());

  test("a megabyte goes there and back", () => {
    const bytes = Uint8Array.from({ length: 2 ** 20 }, (_, index) => index * 7);
    expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
  });
});

describe("images", () => {
  test.each([
    ["image/png", PNG, 1, 1],
    ["image/gif", GIF, 1, 1],
    ["image/jpeg", JPEG_HEAD, 3, 2],
    ["image/webp", WEBP_HEADS[0]!, 3, 2],
    ["image/webp", WEBP_HEADS[1]!, 3, 2],
    ["image/webp", WEBP_HEADS[2]!, 3, 2],
  ])("%s is known by its bytes", (mimeType, bytes, width, height) => {
    expect(imageFacts(bytes)).toEqual({ mimeType, width, height });
    for (let length = 0; length < 24 && length < bytes.length; length++) {
      expect(() => imageFacts(bytes.subarray(0, length))).not.toThrow();
    }
  });

  test.each([["<svg/>"], ["BM"], [""], ["RIFF____WAVE"]])("%j is none", (head) => {
    expect(imageFacts(new TextEncoder().encode(head.padEnd(64)))).toBeUndefined();
  });

  test("a JPEG that never comes to its frame ends, and soon", () => {
    expect(
      imageFacts(Uint8Array.of(0xff, 0xd8, ...Array<number>(1_000).fill(0xff))),
    ).toBeUndefined();
    const long = new Uint8Array(16 * 2 ** 20).fill(0xff);
    long.set(JPEG_HEAD.subarray(0, 3));
    const begin = performance.now();
    for (let i = 0; i < 1_000; i++) expect(imageFacts(long)).toBeUndefined();
    expect(performance.now() - begin).toBeLessThan(1_000); // walked to its end it takes 20 ms each time
  });

  test("thousands of links to what is too large cost nothing", () => {
    const huge = new Uint8Array(64 * 2 ** 20);
    huge.set(PNG);
    const content = Array.from({ length: 10_000 }, (_, index) => link(`volume:///tmp/${index}`));
    const begin = performance.now();
    const { images } = withImages({ content }, () => huge);
    expect([...images.values()].every((one) => "problem" in one)).toBe(true);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });

  test("an image block becomes an image when its bytes are what it says", () => {
    const content = [
      image(PNG, "image/png"),
      image(PNG, "image/jpeg"),
      image(new Uint8Array(100), "image/png"),
      image(pngHead(65_536, 65_536), "image/png"),
      image(pngHead(0, 1), "image/png"),
      { type: "image", mimeType: "image/png", data: "AA" },
      { type: "image", mimeType: "image/png" },
    ];
    expect(modelContent({ content })).toEqual([
      { type: "image", mimeType: "image/png", bytes: PNG },
      text("[an image was left out: it is image/png and says image/jpeg]"),
      text("[an image was left out: it is no PNG, JPEG, GIF or WebP image]"),
      text("[an image was left out: it has too many pixels]"),
      text("[an image was left out: it is no PNG, JPEG, GIF or WebP image]"),
      text("[an image was left out: its data is not base64]"),
      text("[an image was left out: its data is not base64]"),
    ]);
  });
});

test("images may have 2^26 pixels together", () => {
  const shown = (...sizes: [number, number][]) =>
    modelContent({
      content: sizes.map(([width, height]) => image(pngHead(width, height), "image/png")),
    }).map(({ type }) => type);
  expect(shown([8_192, 8_192])).toEqual(["image"]);
  expect(shown([8_192, 8_193])).toEqual(["text"]);
  expect(shown([8_192, 4_096], [8_192, 4_096])).toEqual(["image", "image"]);
  expect(shown([8_192, 8_192], [1, 1])).toEqual(["image", "text"]);
  expect(shown([8_192, 4_096], [8_192, 4_097], [8_192, 4_096])).toEqual(["image", "text", "image"]);
});

describe("links", () => {
  test.each<[string, readonly string[] | undefined]>([
    ["volume:///tmp/chart.png", ["tmp", "chart.png"]],
    ["VOLUME:///tmp/a%20b%25.png", ["tmp", "a b%.png"]],
    ["volume:///data/%C3%BC/x", ["data", "ü", "x"]],
    ["volume:///tmp/%2e%2e/data/x", undefined],
    ["volume:///tmp/../data/x", undefined],
    ["volume:///tmp/./x", undefined],
    ["volume:///tmp%2Fx", undefined],
    ["volume:///tmp//x", undefined],
    ["volume:////tmp/x", undefined],
    ["volume:///", undefined],
    ["volume:///tmp/", undefined],
    ["volume:///tmp/a%00b", undefined],
    ["volume:///tmp/%ff", undefined],
    ["volume:///tmp/%", undefined],
    ["volume:///tmp/x?y", undefined],
    ["volume:///tmp/x#y", undefined],
    ["volume://host/tmp/x", undefined],
    ["volume:tmp/x", undefined],
    ["file:///volume/tmp/x", undefined],
  ])("%s names %j", (uri, names) => expect(volumePath(uri)).toEqual(names));

  const files: Record<string, Uint8Array> = {
    "tmp/chart.png": PNG,
    "tmp/notes.txt": new Uint8Array(100),
    "tmp/huge.png": new Uint8Array(17 * 2 ** 20),
  };
  files["tmp/huge.png"]!.set(pngHead(1, 1));
  const readFile = (names: readonly string[]) => files[names.join("/")];

  test("an image of the volume is shown, all else is a line", () => {
    const content = [
      link("volume:///tmp/chart.png", "chart"),
      link("volume:///tmp/chart.png"),
      link("volume:///tmp/gone.png", "chart"),
      link("volume:///tmp/notes.txt"),
      link("volume:///tmp/huge.png"),
      link("volume:///../etc/passwd"),
      link("https://example.com/a", "The\nreport"),
      link("https://example.com/a"),
      { type: "resource_link" },
      { type: "resource", resource: { uri: "x", text: "secret" } },
      { type: "audio", data: "", mimeType: "audio/wav" },
      { type: "text" },
      { type: "text", text: "hello" },
    ];
    const parts = modelContent(withImages({ content }, readFile));
    expect(parts).toEqual([
      { type: "image", mimeType: "image/png", bytes: PNG, name: "chart" },
      { type: "image", mimeType: "image/png", bytes: PNG },
      text("[chart: volume:///tmp/gone.png was left out: there is no such file]"),
      text("[volume:///tmp/notes.txt was left out: it is no PNG, JPEG, GIF or WebP image]"),
      text("[volume:///tmp/huge.png was left out: it is too large]"),
      text("[volume:///../etc/passwd was left out: it names no file of the volume]"),
      text("The report: https://example.com/a"),
      text("https://example.com/a"),
      text("[a link without an address was left out]"),
      text("[resource content was left out]"),
      text("[audio content was left out]"),
      text("[text without text was left out]"),
      text("hello"),
    ]);
  });

  test("all images together are bounded, and one file is read once", () => {
    const reads: string[] = [];
    const big = new Uint8Array(16 * 2 ** 20);
    big.set(pngHead(1, 1));
    const content = [0, 1, 2, 3, 4, 0].map((index) => link(`volume:///tmp/${index}`));
    const { images } = withImages({ content }, (names) => (reads.push(names.join("/")), big));
    expect([...images.values()].map((one: LinkedImage) => "bytes" in one)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(reads).toHaveLength(5);
  });

  test("a result is plain JSON, and a copy of it shows its images as links", () => {
    const result = withImages({ content: [link("volume:///tmp/chart.png", "chart")] }, readFile);
    expect(Object.keys(result)).toEqual(["content"]);
    const copy = JSON.parse(JSON.stringify(result)) as typeof result;
    expect(modelContent(copy)).toEqual([text("chart: volume:///tmp/chart.png")]);
  });
});

describe("results", () => {
  test("resultType goes, everything else stays", () => {
    const result = { content: [], structuredContent: [1], isError: true, _meta: { a: 1 } };
    expect(readResult({ ...result, resultType: "complete" })).toEqual(result);
  });

  test.each<[object, RegExp]>([
    [{}, /content/],
    [{ content: {} }, /content/],
    [{ content: ["text"] }, /block/],
    [{ content: [{ text: "a" }] }, /block/],
    [{ content: [null] }, /block/],
    [{ content: [], isError: "yes" }, /isError/],
  ])("%j is no CallToolResult", async (result, message) => {
    const runGuest = fakeGuest(async (guest) => {
      guest.warn("oh");
      guest.answer((await guest.read())!, result);
    });
    const request = toolRequest(requests, { name: "a", args: {} });
    await expect(callTool(runGuest, request, 1_000)).rejects.toMatchObject({
      name: "PackageCrash",
      reason: "bad_result",
      message: expect.stringMatching(message),
      stderr: "oh",
    });
  });

  test("a failure that the function reports is a result", async () => {
    const result = { content: [text("name must not be empty")], isError: true };
    const runGuest = fakeGuest(async (guest) => guest.answer((await guest.read())!, result));
    const request = toolRequest(requests, { name: "a", args: {} });
    expect(await callTool(runGuest, request, 1_000)).toEqual(result);
  });
});

describe("arguments", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;

  test.each<[string, unknown]>([
    ["an array", []],
    ["text", "a"],
    ["null", null],
    ["nothing", undefined],
    ["a bigint inside", { a: 1n }],
    ["a cycle", cyclic],
  ])("%s is refused", (_, args) => {
    expect(() => toolRequest(requests, { name: "a", args })).toThrow(
      expect.objectContaining({ code: "bad_option" }),
    );
  });

  test("meta that is no object is refused", () => {
    for (const meta of [7, "a", [], null]) {
      expect(() => toolRequest(requests, { name: "a", args: {}, meta: meta as never })).toThrow(
        expect.objectContaining({ code: "bad_option" }),
      );
    }
  });

  test("16 MiB pass, more does not", () => {
    const empty = toolRequest(requests, { name: "a", args: { x: "" } }).line.length;
    const args = { x: "x".repeat(16 * 2 ** 20 - empty) };
    expect(toolRequest(requests, { name: "a", args }).line.length).toBe(16 * 2 ** 20);
    expect(() => toolRequest(requests, { name: "a", args: { x: `${args.x}x` } })).toThrow(
      SandboxError,
    );
  });
});
