// The plan of the house, held against the sources: who imports whom, and the habits of every file; Node.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  importsOf,
  readSources,
  roomOf,
  targetOf,
  withoutComments,
  withoutTexts,
} from "./read-sources.ts";
import type { Source } from "./read-sources.ts";

/** Files at the top of src/ that are entries of the package; nothing imports them. */
const entries = ["index", "package", "mcp", "agents", "ajv", "elements", "node", "testing"];

/** Files at the top of src/ that rooms may be allowed to see. */
const shared = ["errors", "limits", "version"];

/** What each room may import, types included. What is not listed is forbidden. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  agents: ["errors", "tools"],
  door: ["errors", "limits", "schema", "tools"],
  elements: ["errors", "page", "tools"],
  errors: [],
  files: ["errors", "limits"],
  http: ["errors", "limits"],
  "json-schema": ["errors"],
  limits: [],
  mcp: ["errors", "json-schema", "limits", "tools"],
  node: ["page", "wire"],
  package: ["errors", "files", "limits", "tools", "wasm"],
  page: ["door", "errors", "files", "http", "limits", "tools", "version", "wasm", "wire"],
  schema: ["errors", "limits"],
  testing: ["tools", "wire"],
  tools: ["errors", "limits", "schema"],
  version: [],
  wasm: ["errors", "limits"],
  wire: ["errors", "limits"],
  worker: ["errors", "files", "limits", "wasm", "wire"],
};

/** The room that joins the others for the entries; it may see all of them, and only entries see it. */
const joining = "compose";

const maxLines = 250;

const isEntry = (path: string): boolean => entries.some((name) => path === `${name}.ts`);

const sources = readSources();

describe("rooms", () => {
  test("every folder of src/ is a room of the table", () => {
    const known = new Set([...Object.keys(allowed), ...entries, joining]);
    expect(sources.filter(({ room }) => !known.has(room)).map(({ path }) => path)).toEqual([]);
  });

  test("a room imports only what the table allows", () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  test("rooms make no cycle", () => {
    const edges = new Map<string, Set<string>>();
    for (const { room, path, imports } of sources) {
      if (isEntry(path)) continue; // some are called as a room is, and nothing imports them
      for (const target of imports.flatMap((one) => targetOf(path, one) ?? [])) {
        const to = roomOf(target);
        if (to !== room) edges.set(room, (edges.get(room) ?? new Set()).add(to));
      }
    }
    expect(cycleIn(edges)).toEqual([]);
  });

  test("imports between files of src/ name a file that exists, with its ending", () => {
    const paths = new Set(sources.map(({ path }) => path));
    const broken = sources.flatMap(({ path, imports }) =>
      imports
        .filter((one) => one.startsWith("."))
        .filter((one) => !paths.has(targetOf(path, one) ?? ""))
        .map((one) => `${path}: ${one}`),
    );
    expect(broken).toEqual([]);
  });

  test("only node/ uses Node", () => {
    const users = sources.filter(({ imports }) => imports.some((one) => one.startsWith("node:")));
    expect(users.map(({ path }) => path).filter((path) => !/^node[./]/.test(path))).toEqual([]);
  });

  test("entries are named re-exports and nothing else", () => {
    const others = sources
      .filter(({ room, path }) => entries.includes(room) && !path.includes("/"))
      .filter(({ text }) => withoutReExports(text) !== "");
    expect(others.map(({ path, text }) => `${path}: ${withoutReExports(text)}`)).toEqual([]);
  });

  test("the linter's table says the same", () => {
    expect(lintedTable()).toEqual(expectedLintedTable());
  });
});

describe("files", () => {
  test("line 1 says what the file is and where it runs", () => {
    const bare = sources.filter(({ text }) => !/^\/\/ \S.{15,}/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  test(`no file is longer than ${maxLines} lines`, () => {
    const long = sources
      .filter(({ path }) => !isGenerated(path))
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }))
      .filter(({ lines }) => lines > maxLines);
    expect(long).toEqual([]);
  });

  test("names are kebab-case and say what is inside", () => {
    const wrong = sources.filter(({ path }) =>
      path.split("/").some((part) => {
        const name = part.replace(/(\.generated)?\.ts$/, "");
        const vague = /^(.*-)?(utils?|helpers?|types?|manager|common|misc)$/.test(name);
        return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || vague;
      }),
    );
    // What a type section or a value type is, is said by WebAssembly.
    const terms = /^wasm\/value-types\.ts$/;
    expect(wrong.map(({ path }) => path).filter((path) => !terms.test(path))).toEqual([]);
  });

  test("workers are made in one place of a realm, and Atomics are used in wire/ alone", () => {
    const spawners = sources.filter(({ text }) => /\bnew\s+Worker\s*\(/.test(withoutTexts(text)));
    const allowedToSpawn = ["page/spawn.ts", "node/spawn.ts"];
    expect(
      spawners.map(({ path }) => path).filter((path) => !allowedToSpawn.includes(path)),
    ).toEqual([]);
    const waiters = sources.filter(({ text }) => /\bAtomics\s*[.[]/.test(withoutTexts(text)));
    expect(waiters.map(({ path }) => path).filter((path) => !path.startsWith("wire/"))).toEqual([]);
  });
});

describe("the checks themselves", () => {
  test("see imports of every kind", () => {
    const text = `
      import a from "./a.ts"; import type { B } from './b.ts';
      import {
        c,
      } from "./c.ts";
      export * from "./d.ts"; export { e } from "./e.ts"; import "./f.ts";
      const g = await import("./g.ts"); type H = import("./h.ts").H;
      // import "./no.ts";
      const text = "import './neither.ts'";`;
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => `./${name}.ts`);
    expect([...importsOf(text)].sort()).toEqual(names);
  });

  test("find what is forbidden, and cycles", () => {
    const bad = { path: "door/frame.ts", room: "door", text: "", imports: ["../page/run.ts"] };
    expect(forbiddenImports(bad)).toEqual([
      "door/frame.ts imports page/run.ts: door may not see page",
    ]);
    const entry = { path: "page/run.ts", room: "page", text: "", imports: ["../index.ts"] };
    expect(forbiddenImports(entry)).toHaveLength(1);
    const cycle = new Map([
      ["a", new Set(["b"])],
      ["b", new Set(["c"])],
      ["c", new Set(["a"])],
    ]);
    expect(cycleIn(cycle)).toEqual(["a", "b", "c", "a"]);
  });
});

function forbiddenImports({ path, room, imports }: Source): string[] {
  return imports.flatMap((specifier) => {
    const target = targetOf(path, specifier);
    if (target === null) return [];
    const to = roomOf(target);
    const toEntry = isEntry(target);
    const fromEntry = isEntry(path);
    if (!toEntry && (to === room || fromEntry || room === joining)) return [];
    if (!toEntry && allowed[room]?.includes(to)) return [];
    return [`${path} imports ${target}: ${room} may not see ${toEntry ? "entries" : to}`];
  });
}

/** The first cycle, as the rooms along it; empty when there is none. */
function cycleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>();
  const visit = (room: string, trail: readonly string[]): string[] => {
    if (trail.includes(room)) return [...trail.slice(trail.indexOf(room)), room];
    if (done.has(room)) return [];
    for (const next of edges.get(room) ?? []) {
      const cycle = visit(next, [...trail, room]);
      if (cycle.length > 0) return cycle;
    }
    done.add(room);
    return [];
  };
  for (const room of edges.keys()) {
    const cycle = visit(room, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

function withoutReExports(text: string): string {
  return withoutComments(text)
    .replace(/export\s+(?:type\s+)?\{[^}]*\}\s*from\s*"[^"]+";/g, "")
    .trim();
}

/** What a script writes has "generated" in its name. */
function isGenerated(path: string): boolean {
  return path.endsWith(".generated.ts");
}

interface LintConfig {
  overrides: { files: string[]; rules: Record<string, unknown> }[];
}

function lintedTable(): Record<string, string[]> {
  const config = JSON.parse(
    readFileSync(new URL("../../.oxlintrc.json", import.meta.url), "utf8"),
  ) as LintConfig;
  const table: Record<string, string[]> = {};
  for (const { files, rules } of config.overrides) {
    const rule = rules["no-restricted-imports"];
    if (!Array.isArray(rule)) continue;
    const [, { patterns }] = rule as [string, { patterns: { regex: string }[] }];
    for (const file of files) {
      const room = /^src\/([^/]+)\/\*\*$/.exec(file)?.[1] ?? file;
      const candidates = [...rooms(), ...entries.map((name) => `${name}.ts`), "node:fs"];
      table[room] = candidates.filter((name) =>
        patterns.some(({ regex }) => new RegExp(regex).test(specifierFor(name))),
      );
    }
  }
  return table;
}

function expectedLintedTable(): Record<string, string[]> {
  const table: Record<string, string[]> = {};
  for (const room of rooms()) {
    if (room === joining) continue;
    const others = rooms().filter((one) => one !== room && !allowed[room]?.includes(one));
    const node = room === "node" ? [] : ["node:fs"];
    table[room] = [...others, ...entries.map((name) => `${name}.ts`), ...node];
  }
  return table;
}

function rooms(): string[] {
  return [...Object.keys(allowed), joining].filter((name) => !shared.includes(name)).sort();
}

/** How a file inside a room would write the import of a room, an entry or a module of Node. */
function specifierFor(name: string): string {
  if (name.startsWith("node:")) return name;
  return name.endsWith(".ts") ? `../${name}` : `../${name}/main.ts`;
}
