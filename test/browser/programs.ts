// The programs that Chromium runs and what each has to print: what a native run prints, or what is known; Node.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program and its options for `run()`. */
export interface Program {
  readonly name: string;
  /** URL of the module, from the page. */
  readonly module: string;
  readonly options: object;
  /** What it has to print; undefined where this machine cannot tell. */
  readonly expected: () => Ended | undefined;
  /** What is missing then. */
  readonly needs?: string;
  /** Takes away what only the module prints, and not the program. */
  readonly clean?: (ended: Ended) => Ended;
}

const sources = new URL("../unit/worker/wasi/programs/", import.meta.url);
const guests = new URL("../guests/source/programs/", import.meta.url).pathname;
const source = (name: string): string => readFileSync(new URL(name, sources), "utf8");

const TWO_LINES = "line one\nzwölf\n";
const THREE_LINES = "line one\nzwölf 12 0x1f\nrest\n";

/** Runs a command of this machine; undefined when there is none. */
function native(
  command: string,
  args: readonly string[],
  input: string,
  env: Record<string, string> = {},
): Ended | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, {
    input,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 24,
  });
  if (status === null) return undefined;
  return { code: status, stdout: String(stdout), stderr: String(stderr) };
}

/** Compiles with a native compiler and runs the result in an empty folder of its own. */
function compiled(
  compiler: string,
  flags: readonly string[],
  file: string,
  input: string,
): Ended | undefined {
  const folder = mkdtempSync(join(tmpdir(), "program-"));
  const work = mkdtempSync(join(tmpdir(), "program-work-"));
  const output = join(folder, "program");
  try {
    const built = spawnSync(compiler, [...flags, join(guests, file), "-o", output]);
    if (built.error !== undefined) return undefined;
    if (built.status !== 0) throw new Error(`${compiler}: ${String(built.stderr)}`);
    return native(output, [work], input, { GREETING: "grüß dich" });
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(work, { recursive: true });
  }
}

/** Runs a script natively, where this machine has the language, with a folder that it may make. */
function script(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Ended | undefined {
  const folder = mkdtempSync(join(tmpdir(), "program-work-"));
  try {
    return native(command, args, TWO_LINES, { ...env, BASE: join(folder, "work") });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Calls once, however many pages ask. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function python(): Ended | undefined {
  const ended = native("python3", ["-c", source("files.py")], TWO_LINES, { PYTHONUTF8: "1" });
  return ended?.stderr.includes("ModuleNotFoundError") ? undefined : ended;
}

const numbers = (count: number, width: number): string[] =>
  Array.from({ length: count }, (_, i) => String(i).padStart(width, "0"));

const ruby: Ended = {
  code: 4,
  stderr: "on stderr\n",
  stdout: [
    ...["héllo", "world", "13", "3"],
    ...["Errno::ENOENT", "Errno::EEXIST", "Errno::ENOTEMPTY"],
    ...["a.txt", "true", '["b.txt", "link"]', "true", "true", "true"],
    ...['"line one\\n"', '"zwölf\\n"', "false", '"more\\n"', "[104, 195, 169]", "false", ""],
  ].join("\n"),
};

const php: Ended = {
  code: 4,
  stderr: "on stderr\n",
  stdout: [
    ...["14", "5", "héllo", "wörld", "more", "19", "more", "end", "1 cut"],
    ...['"\\u00e9llo"6', 'a,"b c"|1,"with ""quotes"""||'],
    ...[". .. a.txt d lines.csv / . .. x", "111", "303 files"],
    ...["mkdir again: File exists", "rmdir of a full one: Directory not empty"],
    ...["rmdir of a file: Not a directory", "unlink of nothing: No such file or directory"],
    ...["fopen of nothing: No such file or directory", "fopen of what exists: File exists"],
    ...["below a file: No such file or directory", "rename of nothing: No such file or directory"],
    ...["folder over file: Not a directory", "rename: ok", "copy: ok", "gone folder"],
    ...["1111111111 1500000000", "fresh", "slept", "rmdir at last: ok"],
    ...['["line one\\n","zwölf\\n",true]', ...numbers(1000, 50), ""],
  ].join("\n"),
};

const assemblyScript: Ended = {
  code: 6,
  stderr: "on stderr\n",
  stdout: [
    ...["one zwei grüß dich", "mkdir: SUCCESS", "13", "seek: SUCCESS", "wörld", "[]"],
    ...["before the start: INVAL", "cut: SUCCESS", "héllo", "close: SUCCESS", "close again: BADF"],
    ...["open work/a.txt: EXIST", "open work/none: NOENT", "open work: ISDIR"],
    ...["open ../above: NOTCAPABLE", "write: BADF", "mkdir: SUCCESS", "mkdir again: EXIST"],
    ...["rename: SUCCESS", "rename again: NOENT", "symlink: SUCCESS", "readlink: SUCCESS"],
    ...["sub/b.txt", "stat: SUCCESS", "6 4", "true", "rmdir: NOTEMPTY"],
    ...["list: SUCCESS", ". .. link sub", "list: SUCCESS", ". .. b.txt"],
    ...["sleep: SUCCESS", "true", "random: SUCCESS", "line one", "zwölf", "4"],
    ...numbers(1000, 0),
    ...["unlink: SUCCESS", "unlink: SUCCESS", "rmdir: SUCCESS", "rmdir: SUCCESS", ""],
  ].join("\n"),
};

const phpRequest = {
  BASE: "/work",
  REDIRECT_STATUS: "1",
  REQUEST_METHOD: "POST",
  CONTENT_TYPE: "text/plain",
  CONTENT_LENGTH: String(new TextEncoder().encode(TWO_LINES).length),
  SCRIPT_FILENAME: "/script.php",
};

const compiledOptions = {
  args: ["/work"],
  env: { GREETING: "grüß dich" },
  stdin: THREE_LINES,
  files: { "/work": {} },
};

export const PROGRAMS: readonly Program[] = [
  {
    name: "CPython: files, os.walk, shutil, tempfile, zipfile, sqlite3, time.sleep, input()",
    module: "../interpreters/python.wasm",
    options: { args: ["-c", source("files.py")], stdin: TWO_LINES, files: { "/tmp": {} } },
    expected: once(python),
    needs: "python3",
  },
  {
    name: "Ruby",
    module: "../interpreters/ruby.wasm",
    options: {
      args: ["-e", source("files.rb")],
      env: { BASE: "/work" },
      stdin: TWO_LINES,
      files: {},
    },
    expected: once(() => script("ruby", ["-e", source("files.rb")], { LC_ALL: "C.UTF-8" }) ?? ruby),
  },
  {
    name: "PHP",
    module: "../interpreters/php.wasm",
    options: { env: phpRequest, stdin: TWO_LINES, files: { "/script.php": source("files.php") } },
    expected: once(() => script("php", ["-n", new URL("files.php", sources).pathname]) ?? php),
    clean: ({ stdout, ...rest }) => ({ ...rest, stdout: stdout.replace(/^.*?\r\n\r\n/s, "") }),
  },
  {
    name: "C: stdio, descriptors, folders, links, times",
    module: "../guests/programs/stdio.wasm",
    options: compiledOptions,
    expected: once(() => compiled("gcc", ["-std=c11", "-O1", "-w"], "stdio.c", THREE_LINES)),
    needs: "gcc",
  },
  {
    name: "Rust",
    module: "../guests/programs/files-rust.wasm",
    options: compiledOptions,
    expected: once(() => compiled("rustc", ["--edition", "2021"], "files.rs", THREE_LINES)),
    needs: "rustc",
  },
  {
    name: "AssemblyScript",
    module: "../guests/programs/files-assemblyscript.wasm",
    options: {
      args: ["one", "zwei"],
      env: { GREETING: "grüß dich" },
      stdin: TWO_LINES,
      files: {},
    },
    expected: () => assemblyScript,
  },
];
