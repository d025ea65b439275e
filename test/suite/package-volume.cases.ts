// Volumes of packages: what a call keeps and what it does not, images that results link, persistence; page and Node.

import { assert } from "chai";
import type { FunctionPackage, PackageCallOptions, Volume } from "../../src/package.ts";
import { PNG } from "../unit/package/images.ts";
import { bytes, cases, rejection, text, type SuiteEnv } from "./case.ts";

type Act = (how: string, args: object, options?: PackageCallOptions) => Promise<string>;

async function misbehaving(
  env: SuiteEnv,
  work: (act: Act, loaded: FunctionPackage) => Promise<void>,
): Promise<void> {
  const loaded = await env.packages.loadPackage(await env.guestBytes("packages/misbehave"));
  const act: Act = async (how, args, options) => {
    const { content } = await loaded.call("act", { how, ...args }, options);
    return content[0]?.["text"] as string;
  };
  try {
    await work(act, loaded);
  } finally {
    loaded.close();
  }
}

async function contentOf(volume: Volume): Promise<Record<string, string | null>> {
  const content: Record<string, string | null> = {};
  for (const { path, type } of await volume.list()) {
    content[path] = type === "file" ? text(await volume.read(path)) : null;
  }
  return content;
}

const PROGRAM = `
import json, os
from sallyport_package import serve, tool

@tool("Greet someone by name.", {"name": {"type": "string"}})
def greet(name):
    print("greeting", name)
    if not name:
        raise ValueError("name must not be empty")
    return {"message": f"Hello, {name}!"}

@tool("Remember a text.", {"text": {"type": "string"}})
def remember(text):
    path = "/volume/data/texts.json"
    texts = json.load(open(path)) if os.path.exists(path) else []
    texts.append(text)
    with open(path, "w") as file:
        json.dump(texts, file)
    return texts

serve()
`;

/** Persistent volumes are the browser's; Node has none, and says so in a case of its own. */
const onlyPages = {
  skip: ({ mode }: { mode: string }) =>
    mode === "node" ? "Node has no private file system" : undefined,
};

export default [
  ...cases("volume", {
    "a call commits everything it did: files, folders, renames, links": async (env) =>
      misbehaving(env, async (act) => {
        const volume = env.packages.memoryVolume();
        await volume.write("/data/old", "old");
        assert.equal(await act("mkdir", { path: "/volume/data/empty" }, { volume }), "0");
        assert.equal(
          await act("write", { path: "/volume/data/a", text: "hello" }, { volume }),
          "0",
        );
        assert.equal(await act("write", { path: "/volume/tmp/t", text: "t" }, { volume }), "0");
        const rename = { path: "/volume/data/old", text: "/volume/data/new" };
        assert.equal(await act("rename", rename, { volume }), "0");
        const link = { path: "/volume/data/link", text: "new" };
        assert.equal(await act("symlink", link, { volume }), "0");
        assert.equal(await act("read", { path: "/volume/data/link" }, { volume }), "old");
        assert.sameMembers(Object.keys(await contentOf(volume)), [
          "/tmp/t",
          "/data/a",
          "/data/empty",
          "/data/link",
          "/data/new",
        ]);
        assert.equal(await act("unlink", { path: "/volume/data/new" }, { volume }), "0");
        assert.equal(await act("rmdir", { path: "/volume/data/empty" }, { volume }), "0");
        assert.sameMembers(
          (await volume.list("/data")).map(({ path }) => path),
          ["/data/a", "/data/link"],
        );
      }),

    "a call that crashes, fails to exit, runs out of time or is stopped leaves it as it was":
      async (env) =>
        misbehaving(env, async (act) => {
          const volume = env.packages.memoryVolume();
          await volume.write("/data/a", "whole");
          const ways: [string, number, number][] = [
            ["trap", 0, 5_000],
            ["code", 3, 5_000],
            ["noise", 0, 5_000],
            ["error", 0, 5_000],
            ["no-content", 0, 5_000],
            ["early", 0, 5_000],
            ["spin", 0, 300],
            ["linger", 3_000, 5_000],
          ];
          for (const [how, n, timeoutMs] of ways) {
            const args = { path: "/volume/data/a", text: how, n };
            await rejection(act("write-then", args, { volume, timeoutMs }));
            assert.deepEqual(await contentOf(volume), { "/data/a": "whole" }, how);
          }
          const stop = new AbortController();
          const args = { path: "/volume/data/a", text: "spin" };
          setTimeout(() => stop.abort(), 200);
          await rejection(act("write-then", args, { volume, signal: stop.signal }));
          assert.deepEqual(await contentOf(volume), { "/data/a": "whole" });
        }),

    "calls on one volume wait for each other": async (env) =>
      misbehaving(env, async (act) => {
        const volume = env.packages.memoryVolume();
        const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
        await Promise.all(
          names.map((name) =>
            act("write", { path: `/volume/data/${name}`, text: name }, { volume }),
          ),
        );
        assert.sameMembers(
          (await volume.list()).map(({ path }) => path),
          names.map((name) => `/data/${name}`),
        );
      }),

    "an image that a result links is read after the exit, with a volume and without": async (env) =>
      misbehaving(env, async (_, loaded) => {
        const volume = env.packages.memoryVolume();
        await volume.write("/data/a b.png", PNG);
        await volume.write("/data/notes.txt", "no image");
        const link = async (uri: string) =>
          env.packages.modelContent(
            await loaded.call("act", { how: "link", text: uri }, { volume }),
          );
        assert.deepEqual(await link("volume:///data/a%20b.png"), [
          { type: "image", mimeType: "image/png", bytes: PNG, name: "it" },
        ]);
        for (const uri of [
          "volume:///data/notes.txt",
          "volume:///data/gone.png",
          "volume:///data/..%2F..%2Fetc",
          "volume:///skills/x.png",
        ]) {
          const [part] = await link(uri);
          assert.equal(part!.type, "text", uri);
        }
        assert.deepEqual(await link("https://example.com/"), [
          { type: "text", text: "it: https://example.com/" },
        ]);
        const alone = await loaded.call("act", { how: "link", text: "volume:///tmp/x.png" });
        assert.match(JSON.stringify(env.packages.modelContent(alone)), /no such file/);
      }),
  }),

  ...cases("example package", {
    "chart: its picture is what a model is shown": async (env) => {
      const { loadPackage, modelContent, packPackage } = env.packages;
      const module = await env.guestBytes("packages/chart");
      const assets = { "colors.txt": "ff0000\n" };
      const chart = await loadPackage(await packPackage({ module, name: "chart", assets }));
      const drawn = await chart.call("bar_chart", { values: [1, 2, 3], title: "Three" });
      const parts = modelContent(drawn);
      assert.deepEqual(
        parts.map(({ type }) => type),
        ["text", "image"],
      );
      const envelope = await chart.callTool("swatch", { color: "00ff00" });
      assert.deepInclude(envelope.content![0], { type: "image", mimeType: "image/png" });
      chart.close();
    },

    "todo: a list that lasts as long as its volume": async (env) => {
      const { loadPackage, memoryVolume } = env.packages;
      const volume = memoryVolume();
      const todo = await loadPackage(await env.guestBytes("packages/todo"), { volume });
      await todo.call("add", { text: "water the plants" });
      await todo.call("add", { text: "sleep" });
      await todo.call("done", { number: 1 });
      const { structuredContent } = await todo.call("list", {});
      assert.deepEqual(structuredContent, { items: ["sleep"] });
      assert.equal(text(await volume.read("/data/todo.json")), '["sleep"]');
      const alone = await todo.call("add", { text: "x" }, { data: false });
      assert.isTrue(alone.isError);
      todo.close();
    },

    "skills: reads what it was given": async (env) => {
      const loaded = await env.packages.loadPackage(await env.guestBytes("packages/skills"));
      const skills = { tea: { "SKILL.md": "# Make tea\n" }, "two words": { "SKILL.md": "x" } };
      const { content } = await loaded.call("list_skills", {}, { skills });
      assert.deepEqual(
        content.map((block) => block["text"]),
        ["tea: Make tea", "two words: x"],
      );
      const read = await loaded.call("read_skill", { name: "tea" }, { skills });
      assert.equal(read.content[0]!["text"], "# Make tea\n");
      loaded.close();
    },
  }),

  ...cases("python as a package", {
    "a stock interpreter, its command line baked in, is a package of plain functions": [
      async (env) => {
        const { loadPackage, memoryVolume, modelContent, packPackage } = env.packages;
        const address = env.interpreter("python");
        const module = await env.readFile(address);
        const zip = await packPackage({
          module,
          name: "plain-python",
          argv: ["python", "/package/main.py"],
          assets: { "main.py": PROGRAM, "sallyport_package.py": await env.pythonKit() },
        });
        const volume = memoryVolume();
        const loaded = await loadPackage(zip, { volume });
        assert.deepEqual(
          loaded.tools.map(({ name }) => name),
          ["greet", "remember"],
        );
        const { structuredContent } = await loaded.call("greet", { name: "Ada" });
        assert.deepEqual(structuredContent, { message: "Hello, Ada!" });
        const failed = await loaded.call("greet", { name: "" });
        assert.deepEqual(
          [failed.isError, modelContent(failed)],
          [true, [{ type: "text", text: "name must not be empty" }]],
        );
        await loaded.call("remember", { text: "one" });
        const twice = await loaded.call("remember", { text: "two" });
        assert.deepEqual(twice.structuredContent, ["one", "two"]);
        loaded.close();
      },
      { timeoutMs: 60_000 },
    ],
  }),

  ...cases("persistent volume", {
    "keeps /data and forgets /tmp": [
      async (env) =>
        misbehaving(env, async (act) => {
          const name = `suite ${Math.random()}`;
          const volume = await env.packages.openVolume(name);
          await act("write", { path: "/volume/data/a", text: "kept" }, { volume });
          await act("write", { path: "/volume/tmp/t", text: "not" }, { volume });
          const again = await env.packages.openVolume(name);
          assert.deepEqual(await contentOf(again), { "/data/a": "kept" });
          assert.equal(await act("read", { path: "/volume/data/a" }, { volume: again }), "kept");
          assert.isAbove((await again.usage()).quotaBytes!, 0);
          await again.delete();
          assert.deepEqual(await contentOf(await env.packages.openVolume(name)), {});
          assert.deepEqual(Object.keys(await contentOf(volume)), ["/tmp/t"]);
          await volume.delete();
        }),
      onlyPages,
    ],

    "two objects of one name never work at once, and see each other's commits": [
      async (env) =>
        misbehaving(env, async (act) => {
          const name = `suite ${Math.random()}`;
          const volumes = await Promise.all([
            env.packages.openVolume(name),
            env.packages.openVolume(name),
          ]);
          const names = Array.from({ length: 8 }, (_, index) => `f${index}`);
          await Promise.all(
            names.map((file, index) =>
              act(
                "write",
                { path: `/volume/data/${file}`, text: file },
                { volume: volumes[index % 2]! },
              ),
            ),
          );
          for (const volume of volumes) assert.lengthOf(await volume.list(), 8);
          await volumes[0].delete();
        }),
      onlyPages,
    ],

    "goes out and in again as a zip": [
      async (env) => {
        const { memoryVolume, openVolume } = env.packages;
        const volume = await openVolume(`suite ${Math.random()}`);
        await volume.write("/data/n/ö.txt", bytes("text"));
        const copy = memoryVolume();
        await copy.import(await volume.export());
        assert.deepEqual(await contentOf(copy), { "/data/n": null, "/data/n/ö.txt": "text" });
        await volume.delete();
      },
      onlyPages,
    ],

    "where there is none, it says so": [
      async (env) => {
        const error = await rejection(env.packages.openVolume("notes"));
        assert.equal(error.code, "unsupported");
      },
      { skip: ({ mode }) => (mode === "node" ? undefined : "pages have one") },
    ],
  }),
];
