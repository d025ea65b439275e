// HTTP bodies from and to the trees of a run: paths, quotas, and what the guest sees meanwhile; Node.

import { describe, expect, test } from "vitest";
import { FileSystem } from "../../../src/files/file-system.ts";
import { FileNode } from "../../../src/files/nodes.ts";
import type { Step } from "../../../src/wire/blocking-call.ts";
import type { HttpFileRefusal } from "../../../src/wire/http-frames.ts";
import type { GuestHttpInput, GuestHttpOutput } from "../../../src/worker/http-call.ts";
import { createTreeHttpFiles } from "../../../src/worker/tree-http-files.ts";

type MemoryEntry = Extract<
  ConstructorParameters<typeof FileSystem>[0]["preopens"][number]["source"],
  { kind: "memory" }
>["entries"][number];

const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);
const file = (path: string, value: string): MemoryEntry => ({
  type: "file",
  path,
  bytes: text(value),
});
const folder = (path: string): MemoryEntry => ({ type: "directory", path });
const link = (path: string, target: string): MemoryEntry => ({ type: "link", path, target });

const roomy = { fileBytes: 1_000_000, entries: 100, writeBytes: 1_000_000, descriptors: 10 };

function systemWith(entries: MemoryEntry[], quotas = roomy, path = "/"): FileSystem {
  const preopens = [{ path, source: { kind: "memory" as const, entries } }];
  return new FileSystem({ preopens, quotas, devices: ["http"], now: () => 1_000 });
}

/** Calls a continuation-passing operation that does not block. */
function now<T>(operation: (then: (value: T) => Step) => Step): T {
  let result: { value: T } | undefined;
  operation((value) => {
    result = { value };
    return 0;
  });
  return result!.value;
}

function openInput(system: FileSystem, path: string): GuestHttpInput | HttpFileRefusal {
  const files = createTreeHttpFiles(system.preopens);
  return now((then) => files.openInput(path, then));
}

function openOutput(system: FileSystem, path: string): GuestHttpOutput | HttpFileRefusal {
  const files = createTreeHttpFiles(system.preopens);
  return now((then) => files.openOutput(path, then));
}

function input(system: FileSystem, path: string): GuestHttpInput {
  const opened = openInput(system, path);
  if (typeof opened === "string") throw new Error(opened);
  return opened;
}

function output(system: FileSystem, path: string): GuestHttpOutput {
  const opened = openOutput(system, path);
  if (typeof opened === "string") throw new Error(opened);
  return opened;
}

const write = (to: GuestHttpOutput, bytes: Uint8Array): HttpFileRefusal | undefined =>
  now((then) => to.write(bytes, then));
const commit = (to: GuestHttpOutput): HttpFileRefusal | undefined => now((then) => to.commit(then));

function read(from: GuestHttpInput, maxBytes = 1_000): string {
  const part = now<Uint8Array | HttpFileRefusal>((then) => from.read(maxBytes, then));
  return typeof part === "string" ? `refused: ${part}` : Buffer.from(part).toString();
}

/** The changed files of the run as texts. */
function changed(system: FileSystem): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(system.changedFiles()).map(([path, bytes]) => [
      path,
      bytes && Buffer.from(bytes).toString(),
    ]),
  );
}

const tree = (): MemoryEntry[] => [
  folder("a"),
  file("a/in.txt", "inside"),
  link("near", "a/in.txt"),
  link("far", "/elsewhere"),
  link("loop", "loop"),
  link("new", "a/made.txt"),
];

describe("input", () => {
  test.each(["/a/in.txt", "/near", "/a/../a/./in.txt", "//a/in.txt"])("%s is read", (path) => {
    const from = input(systemWith(tree()), path);
    expect(from.size).toBe(6);
    expect([read(from, 4), read(from, 4), read(from, 4)]).toEqual(["insi", "de", ""]);
    from.close();
  });

  test.each([
    "/",
    "/a",
    "/a/",
    "/a/in.txt/",
    "/none",
    "/a/none",
    "/far",
    "/loop",
    "/../a",
    "/dev/http",
  ])("%s is no file to be sent", (path) => {
    expect(openInput(systemWith(tree()), path)).toBe("bad_path");
  });

  test("outside every preopen there is nothing", () => {
    const system = systemWith(tree(), roomy, "/volume/tmp");
    expect(typeof openInput(system, "/volume/tmp/a/in.txt")).toBe("object");
    for (const path of ["/a/in.txt", "/volume/tmpa/in.txt", "/volume/tmp", "/volume/tmp/../x"]) {
      expect(openInput(system, path)).toBe("bad_path");
    }
  });
});

describe("output", () => {
  test("nothing is seen at the path until commit, then all of it", () => {
    const system = systemWith(tree());
    const to = output(system, "/a/out.txt");
    write(to, text("first "));
    write(to, text("second"));
    expect(changed(system)).toEqual({});
    expect(system.preopens[0]!.directory.get("out.txt")).toBeUndefined();
    const { bytes, entries } = system.usage;
    expect(commit(to)).toBeUndefined();
    expect(changed(system)).toEqual({ "/a/out.txt": "first second" });
    expect([system.usage.bytes, system.usage.entries]).toEqual([bytes, entries + 1]);
    expect(read(input(system, "/a/out.txt"))).toBe("first second");
  });

  test("an older file is replaced as a whole; who has it open reads on", () => {
    const system = systemWith(tree());
    const before = system.usage.bytes;
    const old = input(system, "/a/in.txt");
    const to = output(system, "/a/in.txt");
    write(to, text("replaced"));
    expect(read(old, 2)).toBe("in");
    commit(to);
    expect(read(old)).toBe("side");
    old.close();
    expect(changed(system)).toEqual({ "/a/in.txt": "replaced" });
    expect(system.usage.bytes).toBe(before - 6 + 8);
  });

  test("a file that nobody has open gives its bytes back when it is replaced", () => {
    const system = systemWith(tree());
    const { bytes, entries } = system.usage;
    const to = output(system, "/a/in.txt");
    write(to, text("replaced"));
    commit(to);
    expect([system.usage.bytes, system.usage.entries]).toEqual([bytes - 6 + 8, entries]);
  });

  test("through a link the file it names is made", () => {
    const system = systemWith(tree());
    const to = output(system, "/new");
    write(to, text("made"));
    commit(to);
    expect(changed(system)).toEqual({ "/a/made.txt": "made" });
  });

  test("discard leaves everything as it was, but for what was written of the budget", () => {
    const system = systemWith(tree());
    const { bytes, entries, written } = system.usage;
    const to = output(system, "/a/in.txt");
    write(to, text("partial"));
    to.discard();
    expect(changed(system)).toEqual({});
    expect([system.usage.bytes, system.usage.entries]).toEqual([bytes, entries]);
    expect(system.usage.written).toBe(written + 7);
    expect(read(input(system, "/a/in.txt"))).toBe("inside");
  });

  test.each([
    "/",
    "/a",
    "/a/",
    "/a/x/",
    "/none/x",
    "/loop",
    "/../x",
    "/a/..",
    "/dev/http",
    "/dev/x",
  ])("%s is no place for output", (path) => {
    expect(openOutput(systemWith(tree()), path)).toBe("bad_path");
  });

  test("a read-only tree is no place for output", () => {
    const system = systemWith([file("in", "x")]);
    const preopen = { kind: "memory" as const, entries: [file("in", "x")] };
    expect(typeof openOutput(system, "/out")).toBe("object");
    const readOnly = new FileSystem({
      preopens: [{ path: "/", source: preopen }],
      quotas: roomy,
      devices: [],
      now: () => 0,
    });
    Object.defineProperty(readOnly.preopens[0]!.directory.tree, "readOnly", { value: true });
    expect(openOutput(readOnly, "/in")).toBe("bad_path");
    expect(openOutput(readOnly, "/out")).toBe("bad_path");
    expect(typeof openInput(readOnly, "/in")).toBe("object");
  });

  test.each([
    [{ ...roomy, entries: 1 }, "/new", "quota"],
    [{ ...roomy, entries: 1 }, "/in", "object"],
    [{ ...roomy, fileBytes: 1 }, "/new", "quota"],
    [{ ...roomy, writeBytes: 0 }, "/new", "quota"],
  ])("quotas %j at %s: %s before anything is written", (quotas, path, expected) => {
    const opened = openOutput(systemWith([file("in", "x")], quotas), path);
    expect(typeof opened === "string" ? opened : typeof opened).toBe(expected);
  });

  test("quotas hold for every part, and a refused part is not written", () => {
    for (const quotas of [
      { ...roomy, fileBytes: 10 },
      { ...roomy, writeBytes: 10 },
    ]) {
      const system = systemWith([], quotas);
      const to = output(system, "/out");
      expect(write(to, text("12345678"))).toBeUndefined();
      expect(write(to, text("9abc"))).toBe("quota");
      expect(write(to, text("9a"))).toBeUndefined();
      to.discard();
      expect(system.usage.bytes).toBe(0);
    }
  });

  test("the bytes are copied, since parts may be views", () => {
    const system = systemWith([]);
    const to = output(system, "/out");
    const part = text("kept");
    write(to, part);
    part.fill(0);
    commit(to);
    expect(changed(system)).toEqual({ "/out": "kept" });
    expect(system.preopens[0]!.directory.get("out")).toBeInstanceOf(FileNode);
  });
});
