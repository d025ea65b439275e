// Granted folders with the browser's own handles: the private file system gives them without asking a person; page.

import { assert } from "chai";
import { bytes, cases, text, type SuiteEnv } from "./case.ts";

const inPages = {
  timeoutMs: 60_000,
  skip: ({ mode }: { mode: string }) =>
    mode === "node" ? "folders of the disk are the browser's to grant" : undefined,
};

let shared: ReturnType<SuiteEnv["api"]["createSandbox"]> | undefined;
const python = (env: SuiteEnv) =>
  (shared ??= env.api.createSandbox({ module: env.interpreter("python") }));

/** An empty folder of this page's own, and how to take it away again. */
async function newFolder(): Promise<[FileSystemDirectoryHandle, () => Promise<void>]> {
  const root = await navigator.storage.getDirectory();
  const name = `granted-${crypto.randomUUID()}`;
  const folder = await root.getDirectoryHandle(name, { create: true });
  return [folder, () => root.removeEntry(name, { recursive: true })];
}

async function handleOf(
  folder: FileSystemDirectoryHandle,
  path: string,
  create: boolean,
): Promise<FileSystemFileHandle> {
  const names = path.split("/");
  let at = folder;
  for (const name of names.slice(0, -1)) at = await at.getDirectoryHandle(name, { create });
  return at.getFileHandle(names.at(-1)!, { create });
}

async function put(
  folder: FileSystemDirectoryHandle,
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const writer = await (await handleOf(folder, path, true)).createWritable();
  await writer.write(content);
  await writer.close();
}

async function read(folder: FileSystemDirectoryHandle, path: string): Promise<string> {
  return (await (await handleOf(folder, path, false)).getFile()).text();
}

/** Everything below a folder: files with their sizes, folders with a slash. */
async function tree(folder: FileSystemDirectoryHandle, path = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind === "directory") {
      found.push(`${path}${name}/`, ...(await tree(handle, `${path}${name}/`)));
    } else found.push(`${path}${name} ${(await handle.getFile()).size}`);
  }
  return found.sort();
}

const WORK = `
import os, sys
for folder, folders, files in sorted(os.walk("/work")):
    print(folder, sorted(folders), sorted(files))
with open("/work/data/big.bin", "rb") as file:
    file.seek(2_500_000)
    print(file.read(4))
    print(os.fstat(file.fileno()).st_size)
print(open("/work/data/in.txt", encoding="utf-8").read())
with open("/work/log.txt", "a") as log:
    log.write("two\\n")
os.makedirs("/work/out/deep")
with open("/work/out/deep/new.txt", "w", encoding="utf-8") as new:
    new.write("geschrieben: é\\n")
with open("/work/data/big.bin", "r+b") as file:
    file.seek(1_000_000)
    file.write(b"MARK")
os.rename("/work/data/in.txt", "/work/out/moved.txt")
os.remove("/work/old.txt")
os.rmdir("/work/empty")
try:
    os.symlink("a", "/work/link")
except PermissionError:
    print("no links")
print(os.path.getmtime("/work/log.txt") > 1_600_000_000)
`;

const big = (): Uint8Array<ArrayBuffer> => {
  const content = new Uint8Array(3_000_000).fill(46);
  content.set(bytes("here"), 2_500_000);
  return content;
};

export default cases("python in a granted folder", {
  "reads what is there, and what it changed is found written back": [
    async (env) => {
      const [folder, remove] = await newFolder();
      await put(folder, "data/in.txt", "grüße");
      await put(folder, "data/big.bin", big());
      await put(folder, "log.txt", "one\n");
      await put(folder, "old.txt", "old");
      await folder.getDirectoryHandle("empty", { create: true });

      const sandbox = await python(env);
      const run = sandbox.run({ args: ["-c", WORK], files: {}, mounts: { "/work": folder } });
      const result = await run.result;
      assert.equal(result.stderrText, "");
      assert.deepEqual(result.stdoutText.split("\n"), [
        "/work ['data', 'empty'] ['log.txt', 'old.txt']",
        "/work/data [] ['big.bin', 'in.txt']",
        "/work/empty [] []",
        ...["b'here'", "3000000", "grüße", "no links", "True", ""],
      ]);
      assert.equal(result.conflict, undefined);
      assert.deepEqual(result.files, {});
      assert.deepEqual(await tree(folder), [
        ...["data/", "data/big.bin 3000000", "log.txt 8"],
        ...["out/", "out/deep/", "out/deep/new.txt 16", "out/moved.txt 7"],
      ]);
      assert.equal(await read(folder, "log.txt"), "one\ntwo\n");
      assert.equal(await read(folder, "out/deep/new.txt"), "geschrieben: é\n");
      assert.equal(await read(folder, "out/moved.txt"), "grüße");
      const whole = await read(folder, "data/big.bin");
      assert.equal(whole.slice(999_999, 1_000_005), ".MARK.");
      assert.equal(whole.slice(2_499_999, 2_500_005), ".here.");
      await remove();
    },
    inPages,
  ],

  "leaves alone what others changed meanwhile, and says so with the bytes": [
    async (env) => {
      const [folder, remove] = await newFolder();
      await put(folder, "a.txt", "first");
      await put(folder, "b.txt", "first");
      const code = `
old = open("/work/a.txt").read() + open("/work/b.txt").read()
print("read", flush=True)
input()
open("/work/a.txt", "w").write("by the guest")
open("/work/b.txt", "w").write("by the guest")
open("/work/new.txt", "w").write("by the guest")
print(old)
`;
      const sandbox = await python(env);
      const run = sandbox.run({
        args: ["-c", code],
        stdin: "interactive",
        files: {},
        mounts: { "/work": folder },
      });
      const reader = run.stdout.getReader();
      let seen = "";
      while (!seen.includes("read")) seen += text((await reader.read()).value!);
      reader.releaseLock();
      await put(folder, "a.txt", "by somebody else");
      await put(folder, "new.txt", "theirs");
      const writer = run.stdin!.getWriter();
      await writer.write("\n");
      const { status, conflict, stderrText } = await run.result;
      assert.equal(status, "exited", stderrText);
      assert.equal(conflict?.code, "conflict");
      const told = (conflict!.data as { path: string; bytes: Uint8Array }[]).map((one) => [
        one.path,
        text(one.bytes),
      ]);
      assert.sameDeepMembers(told, [
        ["a.txt", "by the guest"],
        ["new.txt", "by the guest"],
      ]);
      assert.equal(await read(folder, "a.txt"), "by somebody else");
      assert.equal(await read(folder, "b.txt"), "by the guest");
      assert.equal(await read(folder, "new.txt"), "theirs");
      await remove();
    },
    inPages,
  ],

  "without memory for copies of the files in memory, a folder is written, and the other way round":
    [
      async (env) => {
        const sandbox = await python(env);
        const lost = async (code: string) => {
          const [folder, remove] = await newFolder();
          const { status, files, filesError, conflict } = await sandbox.run({
            args: ["-c", code],
            files: {},
            mounts: { "/work": folder },
            limits: { fileBytes: Infinity },
          }).result;
          assert.deepEqual([status, conflict], ["exited", undefined]);
          assert.equal(filesError?.code, "resource_exhausted");
          const written = await tree(folder);
          await remove();
          return [filesError?.data, files && Object.keys(files), written];
        };
        const write = (path: string) => `open("${path}", "w").write("x");`;
        const grow = (path: string) => `open("${path}", "w").truncate(2**44);`;
        assert.deepEqual(await lost(write("/work/new.txt") + grow("/huge")), [
          { lost: ["files"] },
          undefined,
          ["new.txt 1"],
        ]);
        assert.deepEqual(
          await lost(write("/work/new.txt") + grow("/work/huge") + write("/small")),
          [{ lost: ["folders"] }, ["/small"], []],
        );
        assert.deepEqual(await lost(grow("/huge") + grow("/work/huge")), [
          { lost: ["folders", "files"] },
          undefined,
          [],
        ]);
      },
      inPages,
    ],

  "what a killed run had under way is not written": [
    async (env) => {
      const [folder, remove] = await newFolder();
      await put(folder, "a.txt", "first");
      const sandbox = await python(env);
      const code = `
import time
with open("/work/a.txt", "w") as file:
    file.write("half")
print("written", flush=True)
time.sleep(600)
`;
      const run = sandbox.run({ args: ["-c", code], files: {}, mounts: { "/work": folder } });
      await run.stdout.getReader().read();
      run.kill();
      assert.equal((await run.result).status, "killed");
      assert.equal(await read(folder, "a.txt"), "first");
      await remove();
      sandbox.close(); // the last one
      shared = undefined;
    },
    inPages,
  ],
});
