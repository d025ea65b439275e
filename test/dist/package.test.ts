// The built package as others get it: its shape, names, types and weight; Node.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryNames } from "../../scripts/build.mjs";
import { runCommand, runPackage } from "../../scripts/run-command.mjs";
import { packPackage, root } from "./packed-package.ts";
import type { PackedPackage } from "./packed-package.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Bytes of gzip, the worker counted. `page` is what a page with the usual two imports loads at once, as any bundler makes
 * it; `entry` is the whole entry without a bundler, every name of it. What a call loads later is printed beside them.
 */
const budget = { page: 35 * 1024, entry: 44 * 1024 };

/** What most pages import. */
const usualPage = 'export { createSandbox, tool, ToolDenied, SandboxError } from "./index.js";';

let packed: PackedPackage;
let manifest: Manifest;
const built = entryNames.filter((name) => existsSync(join(root, `src/${name}.ts`)));
const specifier = (name: string) => (name === "index" ? "sallyport" : `sallyport/${name}`);

beforeAll(async () => {
  packed = await packPackage();
  manifest = JSON.parse(readFileSync(join(packed.folder, "package.json"), "utf8")) as Manifest;
});
afterAll(() => packed?.remove());

describe("the manifest", () => {
  test("publint finds nothing", async () => {
    const { messages, pkg } = await publint({ pkgDir: packed.folder, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("types resolve wherever ES modules do (attw)", async () => {
    const args = [packed.tarball, "--profile", "esm-only", "--no-emoji", "--no-color"];
    const options = { timeoutMs: 60_000, capture: true };
    const result = await runPackage("@arethetypeswrong/cli", "attw", args, options);
    expect(result.ok, result.output).toBe(true);
  });

  test("every entry is exported, with types, and nothing else but package.json", () => {
    const wanted = built.map((name) => [
      name === "index" ? "." : `./${name}`,
      { types: `./dist/types/${name}.d.ts`, default: `./dist/${name}.js` },
    ]);
    const { "./package.json": own, ...entries } = manifest.exports;
    expect(own).toBe("./package.json");
    expect(entries).toEqual(Object.fromEntries(wanted));
  });

  test("holds the files that a page needs, the licences and the notices, and no sources", () => {
    const files = listFiles(packed.folder);
    for (const name of ["dist/index.js", "dist/worker.js", "dist/sallyport.min.js"]) {
      expect(files).toContain(name);
    }
    for (const name of [
      "README.md",
      "LICENSE-MIT",
      "LICENSE-APACHE",
      "dist/THIRD-PARTY-NOTICES.txt",
    ]) {
      expect(files).toContain(name);
    }
    expect(files.filter((name) => /^(src|test|scripts|demo)\//.test(name))).toEqual([]);
  });

  test("the notices name every package whose code is inside", () => {
    const notices = readFileSync(join(packed.folder, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const name of ["comlink", "@bjorn3/browser_wasi_shim"]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
    }
  });
});

describe("the names", () => {
  test("are the short list that we mean to keep", async () => {
    const lists: string[] = [];
    for (const name of built.filter((one) => one !== "elements")) {
      const module = (await import(join(root, `dist/${name}.js`))) as Record<string, unknown>;
      expect(Object.keys(module)).not.toContain("default");
      lists.push(
        `${specifier(name)}\n${Object.keys(module)
          .sort()
          .map((one) => `  ${one}\n`)
          .join("")}`,
      );
    }
    await expect(lists.join("\n")).toMatchFileSnapshot("./public-names.txt");
  });

  test.each(built.filter((name) => name !== "elements"))(
    "%s imports in Node without a DOM and without side effects",
    async (name) => {
      const code = `
        const before = new Set(Reflect.ownKeys(globalThis));
        const calls = [];
        for (const name of ["fetch", "setTimeout", "setInterval", "queueMicrotask"]) {
          globalThis[name] = () => calls.push(name);
        }
        await import(${JSON.stringify(specifier(name))});
        const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);
        process.stdout.write(JSON.stringify({ added, calls, handles: process.getActiveResourcesInfo() }));`;
      const args = ["--input-type=module", "-e", code];
      const options = { timeoutMs: 20_000, capture: true, cwd: packed.app };
      const result = await runCommand(process.execPath, args, options);
      expect(result.ok, result.output).toBe(true);
      const { added, calls, handles } = JSON.parse(result.output) as Record<string, string[]>;
      expect({ added, calls }).toEqual({ added: [], calls: [] });
      expect(handles?.filter((kind) => /Timeout|Worker|MessagePort|TCP/.test(kind))).toEqual([]);
    },
  );

  test("declarations name only packages that come along", () => {
    const known = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const types = listFiles(packed.folder).filter((name) => name.endsWith(".d.ts"));
    const strangers = types.flatMap((name) =>
      specifiersOf(readFileSync(join(packed.folder, name), "utf8"))
        .filter((one) => !one.startsWith(".") && !one.startsWith("node:"))
        .filter((one) => !known.some((other) => one === other || one.startsWith(`${other}/`)))
        .map((one) => `${name}: ${one}`),
    );
    expect(strangers).toEqual([]);
  });
});

describe("the files", () => {
  const read = (name: string) => readFileSync(join(root, "dist", name), "utf8");

  test("worker.js is one file and imports nothing", () => {
    expect(importsOf(read("worker.js"))).toEqual({ atOnce: [], later: [] });
  });

  test("the worker is found by the text that bundlers know", () => {
    const text = 'new URL("./worker.js", import.meta.url)';
    expect(read("sallyport.min.js")).toContain(text);
    expect(closure("index.js", "later").some((name) => read(name).includes(text))).toBe(true);
  });

  test("sallyport.min.js stands alone", () => {
    expect(importsOf(read("sallyport.min.js"))).toEqual({ atOnce: [], later: [] });
  });

  test("what createSandbox loads is compiled as it comes, and nothing else is", () => {
    const names = readdirSync(join(root, "dist")).filter((file) => file.endsWith(".js"));
    const marked = names.filter((name) => read(name).startsWith("//# allFunctionsCalledOnLoad\n"));
    expect(marked).toEqual([expect.stringMatching(/^chunk-sandbox-/), "worker.js"]);
    expect(read(marked[0]!)).toContain("createSandboxInPage");
    expect(closure("index.js", "later")).toContain(marked[0]);
  });

  test("nothing needs a page that allows code from text", () => {
    for (const name of readdirSync(join(root, "dist")).filter((file) => file.endsWith(".js"))) {
      expect(read(name), name).not.toMatch(/\bnew Function\b|\beval\(/);
    }
  });

  test("the library and its worker keep within their budget, without ajv", async () => {
    const names = [...closure("index.js"), "worker.js"];
    const { total, table } = weigh(names);
    const later = closure("index.js", "later").filter((name) => !names.includes(name));
    const page =
      gzipSync(await bundleUsualPage(), { level: 9 }).length + weigh(["worker.js"]).total;
    console.log(
      `Weight of a page with createSandbox and tool, worker counted: ${(page / 1024).toFixed(1)} KB gzip\n` +
        `Weight of the whole entry: ${table}\nLoaded later, by the call that needs it: ${weigh(later).table}`,
    );
    for (const name of names) expect(read(name), name).not.toMatch(/\bajv\b/i);
    const hint = `${table}; npm run build -- --sizes says what they are made of`;
    expect(page, hint).toBeLessThanOrEqual(budget.page);
    expect(total, hint).toBeLessThanOrEqual(budget.entry);
  });

  /** What such a page loads at once: the library's code minified, what it imports later left out. */
  async function bundleUsualPage(): Promise<string> {
    const bundle = await rolldown({
      input: "usual-page",
      plugins: [
        {
          name: "usual-page",
          resolveId: (id) => (id === "usual-page" ? join(root, "dist/usual-page.js") : null),
          load: (id) => (id === join(root, "dist/usual-page.js") ? usualPage : null),
        },
      ],
      treeshake: { moduleSideEffects: false },
    });
    const { output } = await bundle.generate({ format: "es", minify: true });
    await bundle.close();
    const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
    const entry = output[0];
    const atOnce = new Set([entry.fileName, ...entry.imports]);
    return [...atOnce].map((name) => (chunks.get(name) as { code: string }).code).join("");
  }

  function weigh(names: readonly string[]): { total: number; table: string } {
    const sizes = names.map((name) => gzipSync(read(name), { level: 9 }).length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const KB = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
    const each = names.map((name, index) => `${name} ${KB(sizes[index] ?? 0)}`).join(", ");
    return { total, table: `${KB(total)} gzip (${each})` };
  }

  /** A file of dist/ and all that it imports at once, or also later. */
  function closure(entry: string, when: "at once" | "later" = "at once"): string[] {
    const found = new Set<string>();
    const visit = (name: string) => {
      if (found.has(name)) return;
      found.add(name);
      const { atOnce, later } = importsOf(read(name));
      for (const one of when === "later" ? [...atOnce, ...later] : atOnce)
        if (one.startsWith(".")) visit(posix.join(dirname(name), one));
    };
    visit(entry);
    return [...found];
  }
});

/** What a file of JavaScript imports, by statements and by `import()`; what is computed appears as "?". */
function importsOf(code: string): { atOnce: string[]; later: string[] } {
  const found = { atOnce: [] as string[], later: [] as string[] };
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, source } = node as { type?: unknown; source?: { value?: unknown } | null };
    const name = typeof source?.value === "string" ? source.value : "?";
    if (source && type === "ImportExpression") found.later.push(name);
    else if (source && /^(Import|Export)/.test(String(type))) found.atOnce.push(name);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(code));
  return found;
}

/** What a declaration file imports. */
function specifiersOf(text: string): string[] {
  const shape = /\b(?:from|import)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;
  const code = text.replace(/\/\*[^]*?\*\//g, "");
  return [...code.matchAll(shape)].map((match) => match[2] ?? "");
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    );
}
