// Persistent volumes in Chromium: renderers killed while they save, two tabs at once, an origin without room; Node.

import type { Browser, BrowserContext, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer } from "../static-server.ts";

const root = new URL("../..", import.meta.url).pathname;

/** What the page's script offers. */
interface VolumePage {
  /** Saves round after round, each as one commit of several files, and tells of each that is done. */
  saveForEver(name: string, from: number): Promise<void>;
  /** The round that every file is of; undefined for an empty volume. Throws when they are not of one. */
  roundOf(name: string): Promise<number | undefined>;
  addItems(name: string, prefix: string, count: number): Promise<void>;
  items(name: string): Promise<string[]>;
  write(name: string, path: string, bytes: number): Promise<string>;
  sizes(name: string): Promise<Record<string, number>>;
  remove(name: string): Promise<void>;
  /** Cuts the lists of every stored volume short. */
  damage(): Promise<void>;
  /** The paths of a volume, or the code with which it does not open. */
  openDamaged(name: string, discardDamaged: boolean): Promise<string[] | string>;
  /** Adds an item in a call that lasts. */
  addSlowly(name: string, text: string, ms: number): Promise<void>;
}

/** Runs in the page. */
const SCRIPT = `
import { loadPackage, memoryVolume, openVolume } from "../dist/package.js";
const FILES = 6;
globalThis.saveForEver = async (name, from) => {
  const volume = await openVolume(name);
  const zips = memoryVolume();
  for (let round = from; ; round++) {
    await zips.delete();
    for (let i = 0; i < FILES; i++) {
      const bytes = new Uint8Array(i * 40_000 + 8).fill(round % 251);
      new DataView(bytes.buffer).setFloat64(0, round);
      await zips.write("/data/f" + i, bytes);
    }
    await volume.import(await zips.export());
    saved(round);
  }
};
globalThis.roundOf = async (name) => {
  // All of it at one moment: another tab may be saving.
  const volume = memoryVolume();
  await volume.import(await (await openVolume(name)).export());
  const rounds = new Set();
  const list = await volume.list();
  for (const { path } of list) {
    const bytes = await volume.read(path);
    const round = new DataView(bytes.buffer).getFloat64(0);
    if (!bytes.subarray(8).every((byte) => byte === round % 251)) throw new Error("torn " + path);
    rounds.add(round);
  }
  if (rounds.size > 1 || (list.length !== 0 && list.length !== FILES)) {
    throw new Error("of several rounds: " + [...rounds] + ", " + list.length + " files");
  }
  return [...rounds][0];
};
globalThis.addItems = async (name, prefix, count) => {
  const volume = await openVolume(name);
  const todo = await loadPackage("../guests/packages/todo.wasm", { volume });
  for (let i = 0; i < count; i++) await todo.call("add", { text: prefix + i });
  todo.close();
};
globalThis.items = async (name) =>
  JSON.parse(new TextDecoder().decode(await (await openVolume(name)).read("/data/todo.json")));
globalThis.write = async (name, path, bytes) => {
  const volume = await openVolume(name);
  const noise = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
  return volume.write(path, noise).then(() => "saved", (error) => error.code ?? String(error));
};
globalThis.sizes = async (name) =>
  Object.fromEntries((await (await openVolume(name)).list()).map(({ path, size }) => [path, size]));
globalThis.damage = async () => {
  const folders = await (await navigator.storage.getDirectory()).getDirectoryHandle("sallyport-volumes");
  for await (const folder of folders.values()) {
    for (const slot of ["list-0", "list-1"]) {
      const handle = await folder.getFileHandle(slot).catch(() => undefined);
      if (!handle) continue;
      const writer = await handle.createWritable({ keepExistingData: true });
      await writer.truncate(50);
      await writer.close();
    }
  }
};
globalThis.openDamaged = (name, discardDamaged) =>
  openVolume(name, { discardDamaged })
    .then(async (volume) => (await volume.list()).map(({ path }) => path))
    .catch((error) => error.code ?? String(error));
const opened = new Map();
globalThis.remove = async (name) => (await openVolume(name)).delete();
globalThis.addSlowly = async (name, text, ms) => {
  // The same object every time: it knows what it has seen.
  const volume = opened.get(name) ?? (await openVolume(name));
  opened.set(name, volume);
  const misbehave = await loadPackage("../guests/packages/misbehave.wasm");
  const call = misbehave.call(
    "act",
    { how: "write-then", path: "/volume/data/" + text, text: "linger", n: ms },
    { volume },
  );
  globalThis.begun = true;
  await call;
  misbehave.close();
};
globalThis.ready = true;
`;

let browser: Browser;
let server: StaticServer;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist`, "/guests": `${root}test/guests` },
    files: {
      "/volume/":
        '<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>',
      "/volume/page.js": SCRIPT,
    },
  });
  context = await browser.newContext();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function open(onSaved?: (round: number) => void): Promise<Page> {
  const page = await context.newPage();
  if (onSaved) await page.exposeFunction("saved", onSaved);
  await page.goto(server.url("/volume/", "coi"));
  await page.waitForFunction(() => "ready" in globalThis);
  return page;
}

/** Calls a function of the page's script. */
function ask<Name extends keyof VolumePage>(
  page: Page,
  name: Name,
  ...args: Parameters<VolumePage[Name]>
): Promise<Awaited<ReturnType<VolumePage[Name]>>> {
  return page.evaluate(
    ([which, given]) =>
      (globalThis as unknown as Record<string, (...all: unknown[]) => never>)[which]!(...given),
    [name, args] as [string, unknown[]],
  );
}

/** Kills the renderer, as the browser's own crash page does. */
async function kill(page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  session.send("Page.crash").catch(() => {}); // its answer never comes
  await crashed;
  await page.close();
}

describe("a renderer that is killed while it saves", () => {
  test(
    "leaves the last state it told of, or a later one, whole",
    { timeout: 120_000 },
    async () => {
      let told = 0;
      const found: number[] = [];
      for (let life = 0; life < 20; life++) {
        const page = await open((round) => {
          told = round;
        });
        const before = await ask(page, "roundOf", "killed");
        if (before !== undefined) {
          expect(before).toBeGreaterThanOrEqual(told);
          found.push(before);
        }
        const from = (before ?? 0) + 1;
        ask(page, "saveForEver", "killed", from).catch(() => {}); // it never answers
        // From before the first step of a save to well into the third or fourth.
        await new Promise((resolve) => setTimeout(resolve, 15 + life * 13));
        await kill(page);
      }
      expect(new Set(found).size).toBeGreaterThan(3);
    },
  );
});

describe("two tabs", () => {
  test("work on one volume by turns, and nothing is lost", async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await Promise.all([
      ask(one, "addItems", "shared", "one ", 12),
      ask(two, "addItems", "shared", "two ", 12),
    ]);
    const items = await ask(one, "items", "shared");
    const wanted = ["one ", "two "].flatMap((tab) => Array.from({ length: 12 }, (_, i) => tab + i));
    expect(items.toSorted()).toEqual(wanted.toSorted());
    await Promise.all([one.close(), two.close()]);
  });
});

describe("two tabs that both save", () => {
  test("one is killed again and again, and the other goes on with whole states", async () => {
    let told = 0;
    const stays = await open((round) => {
      told = round;
    });
    ask(stays, "saveForEver", "both", 1_000).catch(() => {}); // it never answers
    for (let life = 0; life < 6; life++) {
      const dies = await open(() => {});
      ask(dies, "saveForEver", "both", 1).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 40 + life * 17));
      await kill(dies);
      const before = told;
      await expect.poll(() => told, { timeout: 5_000 }).toBeGreaterThan(before + 1);
      const watches = await open();
      expect(await ask(watches, "roundOf", "both")).toBeGreaterThan(0);
      await watches.close();
    }
    await stays.close();
  });
});

describe("a volume that is deleted", () => {
  test("in another tab: after the call under way, and the tab goes on with an empty one", async () => {
    const [one, two] = await Promise.all([open(), open()]);
    const adding = ask(one, "addSlowly", "deleted", "first", 700);
    await one.waitForFunction(() => "begun" in globalThis);
    await ask(two, "remove", "deleted");
    await adding;
    expect(await ask(two, "sizes", "deleted")).toEqual({});
    // As many saves as the first tab has seen: it has to notice that they are not the same.
    await ask(two, "addSlowly", "deleted", "second", 1);
    await ask(one, "addSlowly", "deleted", "third", 1);
    for (const page of [one, two]) {
      expect(await ask(page, "sizes", "deleted")).toEqual({ "/data/second": 4, "/data/third": 4 });
    }
    await Promise.all([one.close(), two.close()]);
  });

  test(
    "by a renderer that is killed meanwhile is whole or empty",
    { timeout: 60_000 },
    async () => {
      for (let life = 0; life < 8; life++) {
        const page = await open();
        await ask(page, "write", "dying", "/data/a", 300_000);
        await ask(page, "write", "dying", "/data/b", 300_000);
        ask(page, "remove", "dying").catch(() => {}); // it may never answer
        await new Promise((resolve) => setTimeout(resolve, life * 2));
        await kill(page);
        const next = await open();
        const sizes = await ask(next, "sizes", "dying");
        expect([{}, { "/data/a": 300_000, "/data/b": 300_000 }]).toContainEqual(sizes);
        await next.close();
      }
    },
  );
});

describe("a volume that is damaged", () => {
  test("is not opened, unless it may begin anew", async () => {
    const own = await browser.newContext();
    const page = await own.newPage();
    await page.goto(server.url("/volume/", "coi"));
    await page.waitForFunction(() => "ready" in globalThis);
    await ask(page, "write", "notes", "/data/a", 10);
    await ask(page, "write", "notes", "/data/b", 10);
    expect(await ask(page, "openDamaged", "notes", true)).toEqual(["/data/a", "/data/b"]);
    await ask(page, "damage");
    expect(await ask(page, "openDamaged", "notes", false)).toBe("bad_volume");
    expect(await ask(page, "openDamaged", "notes", true)).toEqual([]);
    expect(await ask(page, "write", "notes", "/data/c", 10)).toBe("saved");
    expect(await ask(page, "openDamaged", "notes", false)).toEqual(["/data/c"]);
    await own.close();
  });
});

describe("an origin without room", () => {
  test("is told as quota, the volume stays as it was, and can be written again later", async () => {
    const page = await open();
    const session = await context.newCDPSession(page);
    const origin = new URL(page.url()).origin;
    await ask(page, "write", "full", "/data/first", 100_000);
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 2_000_000 });
    expect(await ask(page, "write", "full", "/data/second", 6_000_000)).toBe("quota");
    expect(await ask(page, "sizes", "full")).toEqual({ "/data/first": 100_000 });
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
    expect(await ask(page, "sizes", "never made")).toEqual({});
    expect(await ask(page, "write", "never made", "/data/a", 10)).toBe("quota");
    // A call that completed, and whose files cannot be kept.
    await expect(ask(page, "addItems", "full", "x", 1)).rejects.toThrow("the volume is as it was");
    expect(await ask(page, "sizes", "full")).toEqual({ "/data/first": 100_000 });
    await session.send("Storage.overrideQuotaForOrigin", { origin });
    expect(await ask(page, "write", "full", "/data/second", 6_000_000)).toBe("saved");
    expect(await ask(page, "sizes", "full")).toEqual({
      "/data/first": 100_000,
      "/data/second": 6_000_000,
    });
    await page.close();
  });
});
