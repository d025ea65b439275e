// What models and people are shown of a package's result: blocks that a guest answered, files that it links; page and Node.

import { assert } from "chai";
import type { FunctionPackage, Volume } from "../../src/package.ts";
import { GIF, JPEG_HEAD, PNG, pngHead, WEBP_HEADS } from "../unit/package/images.ts";
import { bytes, cases, type Case, type SuiteEnv } from "./case.ts";

async function misbehaving(
  env: SuiteEnv,
  work: (loaded: FunctionPackage) => Promise<void>,
): Promise<void> {
  const loaded = await env.packages.loadPackage(await env.guestBytes("packages/misbehave"));
  try {
    await work(loaded);
  } finally {
    loaded.close();
  }
}

/** What a model reads of a result with these blocks: an image's type, or the text. */
async function read(
  env: SuiteEnv,
  loaded: FunctionPackage,
  content: readonly object[],
  volume?: Volume,
): Promise<string[]> {
  const args = { how: "result", text: JSON.stringify({ content }) };
  const result = await loaded.call("act", args, volume ? { volume } : {});
  const parts = env.packages.modelContent(result);
  return parts.map((part) => (part.type === "image" ? part.mimeType : part.text));
}

const base64 = (of: Uint8Array): string => btoa(String.fromCharCode(...of));
const image = (mimeType: string, data: string): object => ({ type: "image", mimeType, data });
const link = (uri: string): object => ({ type: "resource_link", uri, name: "it" });

const once: Pick<Case, "once"> = { once: true };

export default cases("package content", {
  "images are known by their bytes, whatever they say": [
    async (env) =>
      misbehaving(env, async (loaded) => {
        const all: [string, Uint8Array][] = [
          ["image/png", PNG],
          ["image/gif", GIF],
          ["image/jpeg", JPEG_HEAD],
          ...WEBP_HEADS.map((head): [string, Uint8Array] => ["image/webp", head]),
        ];
        for (const [mimeType, data] of all) {
          const other = mimeType === "image/png" ? "image/gif" : "image/png";
          const blocks = [image(mimeType, base64(data)), image(other, base64(data))];
          assert.deepEqual(await read(env, loaded, blocks), [
            mimeType,
            `[an image was left out: it is ${mimeType} and says ${other}]`,
          ]);
        }
        const none = "[an image was left out: it is no PNG, JPEG, GIF or WebP image]";
        const svg = image("image/svg+xml", base64(bytes("<svg/>")));
        assert.deepEqual(await read(env, loaded, [svg]), [none]);
        const bomb = image("image/png", base64(pngHead(65_536, 65_536)));
        assert.match((await read(env, loaded, [bomb]))[0]!, /too many pixels/);
      }),
    once,
  ],

  "base64 is strict": [
    async (env) =>
      misbehaving(env, async (loaded) => {
        const right = base64(PNG);
        const wrong = [
          right.replace(/=*$/, ""),
          `${right}=`,
          `${right}\n`,
          right.replace("A", " A"),
          right.replaceAll("/", "_").replaceAll("A", "-"),
          `data:image/png;base64,${right}`,
        ];
        const shown = await read(
          env,
          loaded,
          wrong.map((data) => image("image/png", data)),
        );
        assert.deepEqual([...new Set(shown)], ["[an image was left out: its data is not base64]"]);
        assert.lengthOf(shown, wrong.length);
      }),
    once,
  ],

  "links lead to images of the volume, segment by segment, and nowhere else": [
    async (env) =>
      misbehaving(env, async (loaded) => {
        const volume = env.packages.memoryVolume();
        const huge = new Uint8Array(16 * 2 ** 20 + 1);
        huge.set(PNG);
        for (const [path, data] of Object.entries({
          "/data/a.png": PNG,
          "/data/ü 100%.png": PNG,
          "/data/deep/b.png": PNG,
          "/data/just.png": huge.subarray(0, 16 * 2 ** 20),
          "/data/huge.png": huge,
          "/data/notes.txt": bytes("no image"),
        })) {
          await volume.write(path, data);
        }
        const shown = (uri: string) => read(env, loaded, [link(uri)], volume);
        for (const name of [
          "a.png",
          "%61%2epng",
          "%C3%BC%20100%25.png",
          "deep/b.png",
          "just.png",
        ]) {
          assert.deepEqual(await shown(`volume:///data/${name}`), ["image/png"], name);
        }
        const reasons: [string, RegExp][] = [
          ["huge.png", /too large/],
          ["notes.txt", /is no PNG/],
          ["gone.png", /no such file/],
          ["deep", /no such file/],
          ["deep%2Fb.png", /names no file/],
          ["%2e%2e/data/a.png", /names no file/],
          ["../data/a.png", /names no file/],
          ["a.png%00", /names no file/],
          ["a%2", /names no file/],
          ["a%zz.png", /names no file/],
          ["%FC.png", /names no file/],
          ["", /names no file/],
        ];
        for (const [name, reason] of reasons) {
          const [text] = await shown(`volume:///data/${name}`);
          assert.match(text!, /^\[.* was left out: /, name);
          assert.match(text!, reason, name);
        }
        const out = await shown("volume:///../skills/a.png");
        assert.match(out[0]!, /names no file/);
      }),
    { ...once, timeoutMs: 30_000 },
  ],

  "a link to /volume/data leads nowhere when that was not enabled": [
    async (env) =>
      misbehaving(env, async (loaded) => {
        const volume = env.packages.memoryVolume();
        await volume.write("/data/a.png", PNG);
        await volume.write("/tmp/a.png", PNG);
        const blocks = ["data", "tmp"].map((root) => link(`volume:///${root}/a.png`));
        const args = { how: "result", text: JSON.stringify({ content: blocks }) };
        const shown = async (data: boolean) =>
          env.packages
            .modelContent(await loaded.call("act", args, { volume, data }))
            .map(({ type }) => type);
        assert.deepEqual(await shown(true), ["image", "image"]);
        assert.deepEqual(await shown(false), ["text", "image"]);
      }),
    once,
  ],

  "a link inside the volume is not followed to an image": [
    async (env) =>
      misbehaving(env, async (loaded) => {
        const volume = env.packages.memoryVolume();
        await volume.write("/data/a.png", PNG);
        const args = { how: "symlink", path: "/volume/data/b.png", text: "a.png" };
        await loaded.call("act", args, { volume });
        const [text] = await read(env, loaded, [link("volume:///data/b.png")], volume);
        assert.match(text!, /no such file/);
      }),
    once,
  ],

  "other links are lines that name them, other blocks notes, and none of it markup": [
    async (env) =>
      misbehaving(env, async (loaded) => {
        const markup = "<img src=x onerror=alert(1)>";
        const blocks = [
          link("https://example.com/a?b=c"),
          link("file:///etc/passwd"),
          { type: "audio", mimeType: "audio/wav", data: "" },
          { type: "resource", resource: { uri: "a:b", text: "hidden" } },
          { type: markup },
          { type: "text", text: markup },
        ];
        assert.deepEqual(await read(env, loaded, blocks), [
          "it: https://example.com/a?b=c",
          "it: file:///etc/passwd",
          "[audio content was left out]",
          "[resource content was left out]",
          `[${markup} content was left out]`,
          markup,
        ]);
        if (typeof document === "undefined") return;
        const args = { how: "result", text: JSON.stringify({ content: blocks }) };
        const shown = env.packages.renderContent(await loaded.call("act", args));
        assert.deepEqual(
          [shown.querySelectorAll("p").length, shown.querySelectorAll("p *, img").length],
          [6, 0],
        );
      }),
    once,
  ],
});
