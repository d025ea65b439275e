// QuickJS from Debian's source: compiled, linked with our parts and made small; Node built-ins only.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cache, run, runStep } from "../../python/build/run-step.mjs";
import { downloads, fetchTarballs } from "../../python/build/sources.mjs";
import { tools } from "../../python/build/toolchain.mjs";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const text = (path) => readFileSync(here(path), "utf8");
const source = join(cache, "sources/quickjs");
const build = join(cache, "quickjs");

const QUICKJS = {
  file: "quickjs_2025.04.26.orig.tar.xz",
  sha256: "ec81da5b3249ed648dbc7df4a1654988910e66a118d9b71cb63534216efcfbbe",
};

const THEIRS = ["quickjs", "libregexp", "libunicode", "cutils", "dtoa"];
/** The entries are those of our Python: constructors are called once, and both halves of a snapshot are exports. */
const OURS = ["source/main.c", "source/std.c", "source/timers.c", "../python/source/crt.c"];
const HEADERS = ["source/std.h", "source/timers.h", "../python/source/guest.h"];

/**
 * How much of the stack that main.c allows each of these leaves unused: they need more of the host's, whose end no guest can
 * see, for what they take of their own. Beyond it there is an error of the program, measured in Chromium.
 */
const ROOM = [
  ["static __exception int next_token(", "s->ctx->rt", 76],
  ["static __exception int json_next_token(", "s->ctx->rt", 52],
  ["static int js_json_to_str(", "ctx->rt", 60],
];

const FLAGS = [
  "-Oz",
  "-DNDEBUG",
  '-DCONFIG_VERSION="2025-04-26"',
  // No threads, and no computed jumps; but the stack is watched, or deep recursion would end the guest.
  "-DEMSCRIPTEN",
  "-DCONFIG_STACK_CHECK",
  "-D_GNU_SOURCE",
  "-funsigned-char",
  "-fwrapv",
  "-Wno-everything",
];
const LINK = [
  "-nostartfiles",
  "-Wl,--export=__stack_pointer",
  "-Wl,-z,stack-size=1048576",
  "-Wl,--initial-memory=4194304",
  "-Wl,--strip-all",
];

/** Makes `guests/quickjs/dist/quickjs.wasm`. Throws CannotBuild where the source cannot be had. */
export async function buildQuickjs() {
  await fetchTarballs({ quickjs: QUICKJS }, [["debian", "trixie"]]);
  await runStep("unpack-quickjs", {
    inputs: [QUICKJS.sha256, JSON.stringify(ROOM), String(leaveRoom)],
    output: source,
    work: unpack,
  });
  const output = join(build, "quickjs.wasm");
  const parts = [...OURS, ...HEADERS, "source/host-std.js", "../javascript/host.js"].map(text);
  await runStep("quickjs", {
    inputs: [QUICKJS.sha256, JSON.stringify(ROOM), ...parts, ...FLAGS, ...LINK, String(compile)],
    output,
    work: () => compile(output),
  });
  mkdirSync(here("dist"), { recursive: true });
  copyFileSync(output, here("dist/quickjs.wasm"));
  copyFileSync(join(source, "LICENSE"), here("dist/LICENSE-QUICKJS"));
  return here("dist/quickjs.wasm");
}

async function unpack() {
  rmSync(source, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  const words = ["xf", join(downloads, QUICKJS.file), "--strip-components=1", "-C", source];
  await run("tar", words);
  const file = join(source, "quickjs.c");
  let whole = readFileSync(file, "utf8");
  for (const [head, runtime, kibibytes] of ROOM) whole = leaveRoom(whole, head, runtime, kibibytes);
  writeFileSync(file, whole);
}

/** Changes the function's own check of the stack; stops the build where that is not what it was. */
function leaveRoom(whole, head, runtime, kibibytes) {
  const check = `js_check_stack_overflow(${runtime}, 0)`;
  // The first mention with a body is the function, those before are declarations.
  const start = [...whole.matchAll(/^static .*/gm)].find(
    ({ 0: line, index }) =>
      line.startsWith(head) &&
      !whole
        .slice(index, index + 400)
        .split("{")[0]
        .includes(";"),
  )?.index;
  const at = start === undefined ? -1 : whole.indexOf(check, start);
  const end = start === undefined ? -1 : whole.indexOf("\n}\n", start);
  if (at < 0 || at > end) throw new Error(`${head} is not what its change was made for`);
  const changed = check.replace("0)", `${kibibytes} * 1024)`);
  return whole.slice(0, at) + changed + whole.slice(at + check.length);
}

async function compile(output) {
  rmSync(build, { recursive: true, force: true });
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, "host_module.h"), hostModule());
  // dtoa.c names it and uses nothing of it; Debian's wasi-libc has none.
  writeFileSync(join(build, "setjmp.h"), "");
  const files = [...THEIRS.map((name) => join(source, `${name}.c`)), ...OURS.map(here)];
  const folders = [build, source, here("source"), here("../python/source")].map(
    (one) => `-I${one}`,
  );
  const linked = join(build, "linked.wasm");
  await run(tools.clang, [...tools.flags, ...FLAGS, ...folders, "-c", ...files], { cwd: build });
  const objects = files.map((file) => join(build, basename(file).replace(/c$/, "o")));
  // Apart from compiling: with -O clang would call a wasm-opt that does not know the exported stack pointer.
  await run(tools.clang, [...tools.flags, ...LINK, ...objects, "-o", linked]);
  await run(tools.wasmOpt, [
    "-Oz",
    "--enable-mutable-globals",
    "--strip-producers",
    linked,
    "-o",
    output,
  ]);
}

/** host.js as it is, but for where its `std` comes from, as an array of C. */
function hostModule() {
  const parts = text("../javascript/host.js").split('import * as std from "std";\n');
  if (parts.length !== 2) throw new Error("host.js does not import std as it did");
  const bytes = Buffer.from(parts.join(text("source/host-std.js")));
  return `static const char host_module[] = {${[...bytes, 0].join(",")}};\n`;
}
