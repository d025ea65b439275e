// The prebuilt test guests are what their sources say, and do what their table says; Node.
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WASI } from "node:wasi";
import { describe, expect, test } from "vitest";
import { buildWat, guestTable, sha256, watGuests } from "../../guests/build.mjs";
import { runGuest, type GuestOptions } from "./shim-host.ts";

const folder = new URL("../../guests/", import.meta.url);
const hashes = JSON.parse(readFileSync(new URL("hashes.json", folder), "utf8")) as Record<
  string,
  string
>;
const wasm = (name: string) => readFileSync(new URL(`${name}.wasm`, folder));
const run = (name: string, options?: GuestOptions) =>
  runGuest(new WebAssembly.Module(wasm(name)), options);

describe("files", () => {
  test("every .wasm has its hash and every hash its .wasm", () => {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".wasm"),
    );
    expect(files.toSorted()).toEqual(Object.keys(hashes).toSorted());
    const found = Object.fromEntries(
      files.map((file) => [file, sha256(readFileSync(new URL(file, folder)))]),
    );
    expect(found).toEqual(hashes);
  });

  test("no .wasm is larger than 100 KiB", () => {
    for (const file of Object.keys(hashes))
      expect(readFileSync(new URL(file, folder)).length).toBeLessThan(102_400);
  });

  test("every .wat builds to the same bytes", async () => {
    for (const name of await watGuests())
      expect([name, sha256(await buildWat(name))]).toEqual([name, hashes[`${name}.wasm`]]);
  });

  test("the table in the README is what the sources say", async () => {
    const readme = readFileSync(new URL("README.md", folder), "utf8");
    expect(readme.slice(readme.indexOf("| guest |")).trimEnd()).toBe(await guestTable());
  });
});

describe("commands", () => {
  test("hello says its argv, env and stdin", () => {
    const { stdout, exitCode } = run("hello", {
      args: ["a", "ü"],
      env: { K: "v" },
      stdin: "x".repeat(200_000),
    });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`arg guest\narg a\narg ü\nenv K=v\n${"x".repeat(200_000)}`);
  });

  test("exit-code exits or returns", () => {
    expect(run("exit-code", { args: ["42"] }).exitCode).toBe(42);
    expect(run("exit-code").exitCode).toBe(0);
  });

  test("flood writes as many bytes as asked", () => {
    const { stdout, stderr } = run("flood", { args: ["200000"] });
    expect(stdout).toBe(`${"x".repeat(63)}\n`.repeat(3125));
    expect(stderr).toBe("");
    expect(run("flood", { args: ["10", "2"] }).stderr).toBe("x".repeat(10));
  });

  // Node's own WASI, for the shim counts no events; neither of the two can sleep until a point in time.
  test.each([{ args: ["40"] }, { args: ["40", "0"] }])("sleep $args", ({ args }) => {
    const output = join(mkdtempSync(join(tmpdir(), "sleep-")), "stdout");
    const stdout = openSync(output, "w");
    const node = new WASI({
      version: "preview1",
      args: ["sleep", ...args],
      stdout,
      returnOnExit: true,
    });
    const module = new WebAssembly.Module(wasm("sleep"));
    const instance = new WebAssembly.Instance(
      module,
      node.getImportObject() as WebAssembly.Imports,
    );
    const begin = performance.now();
    expect(node.start(instance)).toBe(0);
    expect(performance.now() - begin).toBeGreaterThan(35);
    closeSync(stdout);
    expect(readFileSync(output, "utf8")).toBe("slept\n");
  });

  test("never-blocks, grow-memory, large-memory and grow-table end by themselves", () => {
    expect(run("never-blocks").stdout).toBe("done\n");
    expect(run("grow-memory", { args: ["100"] }).stdout).toBe("100\n");
    expect(run("import-memory").stdout).toBe("64\n");
    expect(run("large-memory").stdout).toBe("8192\n");
    expect(run("grow-table").stdout).toMatch(/^\d{7,8}\n$/);
  });

  test("the trapping ones trap", () => {
    expect(() => run("trap")).toThrow(/unreachable/);
    expect(() => run("trap-named")).toThrow(/unreachable/);
    expect(() => run("stack-overflow")).toThrow(RangeError);
    expect(() => run("out-of-bounds")).toThrow(/out of bounds/);
    expect(() => run("divide-by-zero")).toThrow(/divide by zero/);
    expect(() => run("bad-indirect")).toThrow(WebAssembly.RuntimeError);
  });

  test("trap-named has its name in the stack", () => {
    const error = (() => {
      try {
        return void run("trap-named");
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(error?.stack).toContain("check_the_total");
  });
});

describe("door", () => {
  const door = (request: Uint8Array) => Buffer.from(`answer to ${Buffer.from(request).toString()}`);
  const listed = 'call -> 0\nanswer to {"v":1,"id":1,"op":"list"}\n';

  test("door-raw passes stdin through", () => {
    expect(run("door-raw", { args: ["2"], stdin: "x", door }).stdout).toBe(
      "call -> 0\nanswer to x\n".repeat(2),
    );
    expect(run("door-raw", { stdin: "x" }).stdout).toBe("call -> -1\n");
  });

  test("door-pointers calls with any pointers", () => {
    expect(run("door-pointers", { door }).stdout).toBe("call -> 0\n");
    const seen: number[] = [];
    run("door-pointers", {
      args: ["0", "7", "96", "100", "9"],
      door: (request) => (seen.push(request.length), request),
    });
    expect(seen).toEqual([7]);
  });

  test("door-loop counts its answers", () => {
    const frames: string[] = [];
    const echo = (request: Uint8Array) => {
      expect(request.length).toBe(100);
      frames.push(Buffer.from(request).toString());
      const { args } = JSON.parse(frames.at(-1) as string) as { args: unknown };
      return Buffer.from(JSON.stringify({ v: 1, id: 1, ok: true, value: args }));
    };
    expect(run("door-loop", { args: ["12"], door: echo })).toMatchObject({
      exitCode: 0,
      stdout: "84\n12\n",
    });
    expect(frames.map((frame) => /"n":(\d+)/.exec(frame)?.[1])).toEqual(
      Array.from({ length: 12 }, (_, index) => String(1_000_000 + index)),
    );
    const wrong = () => Buffer.from('{"n":1000000}');
    expect(run("door-loop", { args: ["3"], door: wrong })).toMatchObject({
      exitCode: 1,
      stdout: "13\n-2\n",
    });
  });

  test.each([
    ["honest", listed],
    ["grows", listed],
    ["overlaps-request", listed],
    ["calls-door", `inner -2\n${listed}`],
    ["overlaps-out-words", "96\n36\n"],
    ...[
      "missing",
      "traps",
      "zero",
      "out-of-range",
      "near-end",
      "negative",
      "recurses",
      "throws",
      "takes-i64",
    ].map((name) => [name, "call -> -2\n"] as const),
  ] as const)("host-alloc/%s", (name: string, stdout: string) => {
    expect(run(`host-alloc/${name}`, { door })).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  test("host-alloc/exits ends the run", () => {
    expect(run("host-alloc/exits", { door })).toEqual({ exitCode: 5, stdout: "", stderr: "" });
  });

  test("on a host that does not hold out, catch-all guests go on", () => {
    // What the sandbox has to prevent; here it shows that the guests do swallow the exception.
    expect(run("catch-all-exit", { door }).stdout).toBe("still here\n");
    expect(run("host-alloc/catch-all", { door }).stdout).toBe(listed);
  });
});

describe("http", () => {
  const http = () => Buffer.from('{"ok":{"status":200}}');

  test("http-raw passes stdin through", () => {
    expect(run("http-raw", { stdin: "{}", http })).toMatchObject({
      exitCode: 0,
      stdout: '{"ok":{"status":200}}',
    });
    expect(run("http-raw", { stdin: "{}" })).toMatchObject({ exitCode: 1, stdout: "-1\n" });
  });

  test("http-misuse prints the five results", () => {
    expect(run("http-misuse", { stdin: "{}", http }).stdout).toBe("-1\n-2\n-3\n0\n-2\n");
  });
});
