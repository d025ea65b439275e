// The core of our Python and the library that it reads: when it is there, when not, and when it is another's; Node.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { PYTHON } from "./builds.ts";
import { sandboxOptions } from "./python-case.ts";

const api = (await import(new URL("../../dist/node.js", import.meta.url).href)) as typeof Sallyport;
const there = existsSync(PYTHON.shipped);
const options = sandboxOptions("shipped", pathToFileURL(PYTHON.shipped));
/** The one that has not started yet. */
const core = new URL("python-core.wasm", options.module as URL);
const [path, file] = Object.entries(options.library!)[0]!;
const bytes = there ? new Uint8Array(readFileSync(file as URL)) : new Uint8Array();
const IMPORTS =
  "import csv, sqlite3\nprint(csv.__name__, sqlite3.connect(':memory:').execute('select 1').fetchall())";
const IMPORTED = "csv [(1,)]\n";

async function run(
  change: Partial<Sallyport.SandboxOptions>,
  program = IMPORTS,
): Promise<{ stdoutText: string; stderrText: string }> {
  const sandbox = await api.createSandbox({ ...options, ...change });
  try {
    return await sandbox.run({ args: ["-c", program] }).result;
  } finally {
    sandbox.close();
  }
}

describe.skipIf(!there)("the core", () => {
  test("reads its library as soon as a run asks, from wherever it comes", async () => {
    expect((await run({})).stdoutText).toBe(IMPORTED);
    expect((await run({ library: { [path]: bytes } })).stdoutText).toBe(IMPORTED);
    expect((await run({ library: { [path]: new Response(bytes) } })).stdoutText).toBe(IMPORTED);
  });

  test("begins once the library is there, where nothing can block", async () => {
    expect((await run({ transport: "none" })).stdoutText).toBe(IMPORTED);
    const gone = { [path]: "/no/such/file" };
    await expect(run({ transport: "none", library: gone })).rejects.toMatchObject({
      code: "load_failed",
    });
  });

  test("needs no library for what was imported when it started, and says what is wrong with it else", async () => {
    const { library: _, ...without } = options;
    const bare = await api.createSandbox(without);
    const held = await bare.run({ args: ["-c", "import json, re\nprint(json.dumps([1]))"] }).result;
    expect(held.stdoutText).toBe("[1]\n");
    const { stderrText } = await bare.run({ args: ["-c", IMPORTS] }).result;
    expect(stderrText).toContain(`ImportError: the standard library's file ${path} is not there`);
    bare.close();
    const other = bytes.slice();
    other[9]! ^= 1;
    expect((await run({ library: { [path]: other } })).stderrText).toContain(
      `ImportError: ${path} is the standard library of another build`,
    );
    const cut = { [path]: bytes.slice(0, 60_000) };
    expect((await run({ library: cut })).stderrText).toMatch(/ImportError: .* cannot be read/);
    const gone = await run({ library: { [path]: "/no/such/file" } });
    expect(gone.stderrText).toMatch(/ImportError: the standard library's file/);
  });

  test("is a command, too, and makes an image of its own with the library", async () => {
    const { snapshot: _, ...rest } = options;
    const plain = { ...rest, module: core };
    const sandbox = await api.createSandbox(plain);
    expect((await sandbox.run({ args: ["-c", IMPORTS] }).result).stdoutText).toBe(IMPORTED);
    sandbox.close();
    const spec = { init: "snapshot_init", run: "snapshot_run" };
    const seed = "print(hash('a'))";
    const own = await run({ module: core, snapshot: spec }, seed);
    const seeds = [await run({}, seed), await run({}, seed), own];
    const [first, second, third] = seeds.map(({ stdoutText }) => stdoutText);
    expect(second).toBe(first); // as docs/python.md says: the seed of what is shipped is everybody's
    expect(third).not.toBe(first); // and a sandbox that starts it has its own
    const made = await run({ module: core, snapshot: { ...spec, args: ["csv"] } });
    expect(made.stdoutText).toBe(IMPORTED);
  });

  test("has the tables of unicodedata and of East Asia's codecs that the whole has", async () => {
    const program = `import hashlib, unicodedata
text = "".join(chr(i) for i in range(0x30000) if not 0xD800 <= i < 0xE000)
print(hashlib.sha256("".join(f"{unicodedata.category(c)}{unicodedata.name(c, '')}" for c in text).encode()).hexdigest())
print("\\N{SNOWMAN}", unicodedata.normalize("NFD", "é").encode())
for codec in "gb18030 gbk hz big5hkscs shift_jisx0213 euc_jis_2004 iso2022_jp cp949 johab iso2022_kr cp950".split():
    print(codec, hashlib.sha256(text.encode(codec, "ignore")).hexdigest())`;
    const whole = await api.createSandbox({ module: pathToFileURL(PYTHON.own) });
    const { stdoutText: expected } = await whole.run({ args: ["-c", program] }).result;
    whole.close();
    expect(expected.split("\n")).toHaveLength(14);
    expect((await run({}, program)).stdoutText).toBe(expected);
    const { snapshot: _, ...plain } = options;
    const sandbox = await api.createSandbox({ ...plain, module: core });
    expect((await sandbox.run({ args: ["-c", program] }).result).stdoutText).toBe(expected);
    sandbox.close();
    const cut = await run(
      { library: { [path]: bytes.slice(0, -1_000_000) } },
      "import unicodedata",
    );
    expect(cut.stderrText).toMatch(/ImportError: .* cannot be read/);
  });

  test("keeps a process that has nothing else to do until it is ready", () => {
    const entry = new URL("../../dist/node.js", import.meta.url).href;
    const where = new URL("../../guests/python/page/options.js", import.meta.url).href;
    const code = `
      import { createSandbox } from ${JSON.stringify(entry)};
      import { python } from ${JSON.stringify(where)};
      const sandbox = await createSandbox(python);
      console.log((await sandbox.run({ args: ["-c", "print('hi')"] }).result).stdoutText);`;
    for (let at = 0; at < 5; at += 1) {
      const args = ["--input-type=module", "-e", code];
      expect(execFileSync(process.execPath, args, { encoding: "utf8" }).trim()).toBe("hi");
    }
  });

  test("cannot write to its library, before it is there and after", async () => {
    const program = `for name in ("${path}", "/lib/python3.11/other"):
    try: open(name, "r+b" if name == "${path}" else "wb")
    except OSError as error: print(error.strerror)`;
    const sandbox = await api.createSandbox(options);
    for (let at = 0; at < 2; at += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const { stdoutText } = await sandbox.run({ args: ["-c", program] }).result;
      expect(stdoutText).toBe("Read-only file system\nRead-only file system\n");
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    sandbox.close();
  });

  test.each<[string, unknown]>([
    ["no path", { "stdlib.bin": bytes, "": bytes }],
    ["a file at the root", { "/stdlib.bin": bytes }],
    ["no source", { [path]: 7 }],
    ["no object", "stdlib"],
  ])("a library with %s is refused", async (_name, library) => {
    const given = library as NonNullable<Sallyport.SandboxOptions["library"]>;
    await expect(run({ library: given })).rejects.toMatchObject({
      code: expect.stringMatching(/bad_(option|path)/) as string,
    });
  });
});
