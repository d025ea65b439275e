// Compiles the C, AssemblyScript and Rust test guests; Node only. Used by build.mjs --all.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const run = promisify(execFile);

/** The clang that the committed bytes come from: LLVM and lld as WebAssembly, with its own WASI C library. */
const clangVersion = "22.0.0-git20542-10";

/** Guests that are compiled, by name: their source under source/. */
export const compiledGuests = {
  "c-header": "c-header.c",
  "door-echo": "door-echo.c",
  "door-echo-assemblyscript": "fixtures/door-echo-assemblyscript.ts",
  "http-get": "http-get.c",
  "http-get-assemblyscript": "fixtures/http-get-assemblyscript.ts",
  "packages/chart": "packages/chart.c",
  "packages/greet": "packages/greet.c",
  "packages/misbehave": "packages/misbehave.c",
  "packages/skills": "packages/skills.rs",
  "packages/smallest": "packages/smallest.c",
  "packages/todo": "fixtures/todo.ts",
  "programs/files-assemblyscript": "fixtures/files-assemblyscript.ts",
  "programs/files-rust": "programs/files.rs",
  "programs/stdio": "programs/stdio.c",
};

/** The bytes of a compiled guest. */
export async function compile(name) {
  const source = compiledGuests[name];
  if (source.endsWith(".c")) return await compileC(source);
  return source.endsWith(".rs") ? await compileRust(source) : await compileAssemblyScript(source);
}

async function compileC(source) {
  const { runClang } = await loadClang();
  const name = basename(source);
  const files = { [name]: await readFile(join(here, "source", source), "utf8") };
  for (const header of ["sallyport.h", "sallyport_package.h"]) {
    files[header] = await readFile(join(root, "guests/c", header), "utf8");
  }
  const flags = ["-Oz", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wl,--strip-all", "-I."];
  const built = await runClang(["clang", ...flags, name, "-o", "guest.wasm"], files);
  return Buffer.from(built["guest.wasm"]);
}

/** Installs the compiler (about 100 MB) under .cache/ when it is not there; the project itself does not need it. */
async function loadClang() {
  const folder = join(root, ".cache/clang");
  const entry = join(folder, "node_modules/@yowasp/clang/gen/bundle.js");
  if (!existsSync(entry)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "private": true }\n');
    const options = ["install", "--no-save", "--no-audit", "--no-fund"];
    await run("npm", [...options, `@yowasp/clang@${clangVersion}`], { cwd: folder });
  }
  return await import(pathToFileURL(entry).href);
}

async function compileAssemblyScript(source) {
  const folder = await mkdtemp(join(tmpdir(), "guest-"));
  const output = join(folder, "guest.wasm");
  // Relative, or its own relative paths would not be found.
  const config = "./node_modules/@assemblyscript/wasi-shim/asconfig.json";
  const flags = ["--config", config, "-Osize", "--exportStart", "_start", "-o", output];
  try {
    const asc = join(root, "node_modules/assemblyscript/bin/asc.js");
    await run(process.execPath, [asc, join("test/guests/source", source), ...flags], { cwd: root });
    return await readFile(output);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Debian's Rust with its standard library for WASI, as the committed bytes come from it. */
const rustPackages = [
  "rustc",
  "libstd-rust-1.63",
  "libstd-rust-dev",
  "libstd-rust-dev-wasm32",
  "lld-14",
  "libllvm14",
];

async function compileRust(source) {
  const rust = await loadRust();
  const folder = await mkdtemp(join(tmpdir(), "guest-"));
  const output = join(folder, "guest.wasm");
  const small = join(folder, "small.wasm");
  const options = ["opt-level=z", "lto=fat", "panic=abort", "codegen-units=1", "strip=symbols"];
  const flags = [...options, `linker=${join(rust, "usr/bin/wasm-ld-14")}`].flatMap((one) => [
    "-C",
    one,
  ]);
  const target = [
    "--target",
    "wasm32-wasi",
    "--edition",
    "2021",
    "--remap-path-prefix",
    `${root}=.`,
  ];
  const libraries = ["usr/lib/x86_64-linux-gnu", "usr/lib/llvm-14/lib"].map((one) =>
    join(rust, one),
  );
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(":") };
  try {
    const file = join(here, "source", source);
    await run(join(rust, "usr/bin/rustc"), [...target, ...flags, file, "-o", output], { env });
    const optimizer = join(root, "node_modules/.bin/wasm-opt");
    await run(optimizer, ["-Oz", "--enable-bulk-memory", "--strip-producers", output, "-o", small]);
    return await readFile(small);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Unpacks Debian's packages (about 110 MB, bookworm on amd64) under .cache/ when they are not there; nothing is installed. */
async function loadRust() {
  const folder = join(root, ".cache/rust");
  const tree = join(folder, "root");
  if (!existsSync(join(tree, "usr/bin/rustc"))) {
    await mkdir(folder, { recursive: true });
    await run("apt-get", ["download", ...rustPackages], { cwd: folder });
    for (const file of await readdir(folder)) {
      if (file.endsWith(".deb")) await run("dpkg", ["-x", join(folder, file), tree]);
    }
  }
  return tree;
}
