// Debian's compiler for WebAssembly, and a Python 3.11 to build with: found, or installed when we may; Node built-ins only.
import { existsSync, mkdirSync, symlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { runCommand } from "../../../scripts/run-command.mjs";
import { cache, CannotBuild } from "./run-step.mjs";

const PACKAGES = {
  "clang-14": "/usr/bin/clang-14",
  "lld-14": "/usr/bin/wasm-ld-14",
  "llvm-14": "/usr/bin/llvm-ar-14",
  "wasi-libc": "/usr/include/wasm32-wasi/wasi/api.h",
  "libclang-rt-14-dev-wasm32":
    "/usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a",
  binaryen: "/usr/bin/wasm-opt",
  "python3.11": "/usr/bin/python3.11",
  make: "/usr/bin/make",
  gcc: "/usr/bin/gcc",
  tcl: "/usr/bin/tclsh",
  tzdata: "/usr/share/zoneinfo/Europe/Berlin",
  "xz-utils": "/usr/bin/xz",
  bzip2: "/usr/bin/bzip2",
};

/** The compiler and its friends; `sysroot` holds wasi-libc alone, since /usr/include would leak into the include path. */
export const tools = {
  sysroot: join(cache, "sysroot"),
  python: "/usr/bin/python3.11",
  zones: "/usr/share/zoneinfo",
  /** How the standard library lies in the module: "deflated" or "stored"; docs/python.md has the figures. */
  packing: "deflated",
  wasmOpt: "/usr/bin/wasm-opt",
  wasmSplit: "/usr/bin/wasm-split",
  ar: "llvm-ar-14",
  ranlib: "llvm-ranlib-14",
  clang: "clang-14",
  get flags() {
    return ["--target=wasm32-wasi", `--sysroot=${this.sysroot}`];
  },
};

/** Installs what is missing. Throws CannotBuild, which says why, where that cannot be. */
export async function findToolchain() {
  const missing = () => Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name]));
  if (process.platform !== "linux") throw new CannotBuild("it is built on Debian only");
  const wanted = missing();
  if (wanted.length > 0) {
    if (!existsSync("/usr/bin/apt-get"))
      throw new CannotBuild(`${wanted.join(", ")} absent, and no apt-get`);
    if (process.getuid() !== 0) {
      throw new CannotBuild(`absent: type as root: apt-get install ${wanted.join(" ")}`);
    }
    console.log(`Installing ${wanted.join(", ")}.`);
    const env = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
    const options = { timeoutMs: 5 * 60_000, env, capture: true };
    await runCommand("apt-get", ["update"], options);
    const words = ["install", "-y", "--no-install-recommends", ...wanted];
    const result = await runCommand("apt-get", words, options);
    const still = missing();
    if (still.length > 0) {
      const said = result.output.split("\n").filter((line) => line.startsWith("E:"))[0] ?? "";
      throw new CannotBuild(`apt-get could not install ${still.join(", ")}. ${said}`.trim());
    }
  }
  for (const folder of ["include", "lib"]) {
    mkdirSync(join(tools.sysroot, folder), { recursive: true });
    const link = join(tools.sysroot, folder, "wasm32-wasi");
    rmSync(link, { force: true });
    symlinkSync(`/usr/${folder}/wasm32-wasi`, link);
  }
}
