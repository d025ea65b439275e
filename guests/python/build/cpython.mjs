// CPython itself: configured, compiled, linked with our parts, made small, and split in two by what it exports; Node built-ins only.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { guestHalves } from "../../../scripts/embed-guest-halves.mjs";
import { cutColdData } from "./cold-data.mjs";
import { keepExports } from "./keep-exports.mjs";
import { setupWords } from "./libraries.mjs";
import { PATCHES } from "./patches.mjs";
import { cache, run, runStep } from "./run-step.mjs";
import { SOURCES, sourceFolder } from "./sources.mjs";
import { tools } from "./toolchain.mjs";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const text = (path) => readFileSync(here(path));
const build = join(cache, "build");
const python = sourceFolder("python3.11");

/** Deeper than WASI's 600: a worker's stack holds it. What names a source's file names it from its own folder. */
const OPT = `-DNDEBUG -fwrapv -Os -DPy_DEFAULT_RECURSION_LIMIT=1000 -ffile-prefix-map=${python}/=`;
const MEGABYTE = 2 ** 20;
const STACK_BYTES = 2 * MEGABYTE;
const MEMORY_BYTES = 20 * MEGABYTE;

/** The words of everybody whose work is in the result. */
const LICENCES = {
  CPython: [python, "LICENSE"],
  zlib: [sourceFolder("zlib"), "LICENSE"],
  bzip2: [sourceFolder("bzip2"), "LICENSE"],
  "XZ Utils (liblzma)": [sourceFolder("xz-utils"), "COPYING"],
  SQLite: [sourceFolder("sqlite3"), "LICENSE.md"],
  Expat: [python, "Modules/expat/COPYING"],
  "libmpdec and further parts of CPython": [python, "Doc/license.rst"],
  "wasi-libc": ["/usr/share/doc/wasi-libc", "copyright"],
  "time zone data": ["/usr/share/doc/tzdata", "copyright"],
};

/** What each file of the result exports, and whether the standard library is in it. */
const COMMAND = [
  "memory",
  "_start",
  "host_alloc",
  "__stack_pointer",
  "snapshot_init",
  "snapshot_run",
];
const REACTOR = ["memory", "_initialize", "run", "host_alloc"];
const SPLIT = ["load_deferred", "__indirect_function_table"];
const RESULTS = {
  "python.wasm": { part: "whole", names: COMMAND },
  "python-reactor.wasm": { part: "whole", names: REACTOR },
  "python-core.wasm": { part: "core", names: [...COMMAND, ...SPLIT] },
};

/** Our sources in each part; the core alone is split, and has a function that asks for what is loaded later. */
const OWN_PARTS = {
  whole: ["crt.c", "main.c", "cold.c"],
  core: ["crt.c", "main.c", "cold.c", "deferred.c"],
};

/** Modules with large tables that few programs need, in the order of source/cold.c. */
const COLD = [
  ...["cn", "hk", "jp", "kr", "tw"].map((place) => `cjkcodecs/_codecs_${place}`),
  "unicodedata",
];

/** Compiler, linker and their flags, as configure takes them from the environment. */
function environment() {
  const flags = tools.flags.join(" ");
  return {
    CC: `clang-14 ${flags}`,
    CPP: `clang-cpp-14 ${flags}`,
    CXX: `clang++-14 ${flags}`,
    LDSHARED: "wasm-ld-14",
    AR: tools.ar,
    RANLIB: tools.ranlib,
    PKG_CONFIG: "/bin/false",
    CONFIG_SITE: join(python, "Tools/wasm/config.site-wasm32-wasi"),
    PYTHONPATH: undefined,
    MAKEFLAGS: undefined,
  };
}

/** Makes `guests/python/dist` of the unpacked sources. */
export async function buildCpython(libraries) {
  const configured = await configure();
  const compiled = await compile([configured, ...libraries]);
  const packed = await packStdlib();
  const whole = await optimize("whole", await link("whole", [compiled, packed]));
  const cut = await cutCore(await link("core", [compiled, packed]));
  const core = await optimize("core", cut);
  await finish([whole, core]);
}

/** A line with an equals sign would be taken for a variable. */
function setupLocal() {
  const sqlite = [
    "blob",
    "connection",
    "cursor",
    "microprotocols",
    "module",
    "prepare_protocol",
    "row",
    "statement",
    "util",
  ];
  return [
    "*static*",
    "_hostdoor _hostdoor.c",
    `_stdlib _stdlib.c ${setupWords("z")}`,
    `zlib zlibmodule.c ${setupWords("z")}`,
    `_bz2 _bz2module.c ${setupWords("bz2")}`,
    `_lzma _lzmamodule.c ${setupWords("lzma")}`,
    `_sqlite3 ${sqlite.map((name) => `_sqlite/${name}.c`).join(" ")} ${setupWords("sqlite3")}`,
    "",
  ].join("\n");
}

function configure() {
  const words = [
    join(python, "configure"),
    "-C",
    "--host=wasm32-unknown-wasi",
    "--build=x86_64-pc-linux-gnu",
    `--with-build-python=${tools.python}`,
    "--disable-test-modules",
  ];
  return runStep("configure", {
    inputs: [SOURCES["python3.11"].sha256, words.join(" ")],
    output: join(build, "Makefile"),
    work: async () => {
      rmSync(build, { recursive: true, force: true });
      mkdirSync(build, { recursive: true });
      const said = await run("sh", words, { cwd: build, env: environment() });
      writeFileSync(join(build, "configure.log"), said);
    },
  });
}

function compile(before) {
  const parts = ["hostdoor.c", "stdlib.c"];
  const libpython = join(build, "libpython3.11.a");
  return runStep("compile", {
    inputs: [
      ...before,
      OPT,
      setupLocal(),
      JSON.stringify(PATCHES),
      ...parts.map((name) => text(`source/${name}`)),
    ],
    output: libpython,
    work: async () => {
      for (const name of parts)
        copyFileSync(here(`source/${name}`), join(python, `Modules/_${name}`));
      rmSync(libpython, { force: true });
      writeFileSync(join(build, "Modules/Setup.local"), setupLocal());
      await run("make", ["-f", "Makefile.pre", "Makefile", "Modules/config.c"], {
        cwd: build,
        env: environment(),
      });
      const said = await run(
        "make",
        ["-j2", `OPT=${OPT}`, "libpython3.11.a", "Programs/python.o"],
        {
          cwd: build,
          env: environment(),
        },
      );
      writeFileSync(join(build, "make.log"), said);
    },
  });
}

function packStdlib() {
  const library = readdirSync(here("library")).filter((name) => name.endsWith(".py"));
  const archive = join(cache, "stdlib.bin");
  const inputs = ["build/pack_stdlib.py", ...library.map((name) => `library/${name}`)];
  const half = hostHalf();
  return runStep("pack-stdlib", {
    inputs: [SOURCES["python3.11"].sha256, ...inputs.map(text), tools.packing, half],
    output: archive,
    work: async () => {
      const halfFile = join(cache, "host_half.json");
      writeFileSync(halfFile, half);
      const words = [
        here("build/pack_stdlib.py"),
        archive,
        tools.packing,
        join(python, "Lib"),
        here("library"),
        halfFile,
        tools.zones,
      ];
      console.log(`  ${(await run(tools.python, ["-I", ...words])).trim()}`);
      const hook = await run(tools.python, [
        "-I",
        here("build/hook_header.py"),
        here("library/_stdlib_hook.py"),
      ]);
      writeFileSync(join(cache, "stdlib_hook.h"), hook);
    },
  });
}

/** The package `host` as `run` mounts it, text by path: a snapshot has it compiled. */
function hostHalf() {
  const python = Object.entries(guestHalves()).filter(([path]) => path.startsWith("python/"));
  return JSON.stringify(
    Object.fromEntries(python.map(([path, source]) => [`/lib/sallyport/${path}`, source])),
  );
}

/** Links the "whole" with the standard library in it, the "core" with no more than its index. */
function link(part, before) {
  const parts = OWN_PARTS[part];
  const output = join(build, `${part}.wasm`);
  return runStep(`link-${part}`, {
    inputs: [
      ...before,
      ...[...parts, "guest.h", "archive.s.in"].map((name) => text(`source/${name}`)),
      String(link) + String(linkRules),
    ],
    output,
    work: async () => {
      rmSync(output, { force: true });
      for (const name of [...parts, "guest.h"])
        copyFileSync(here(`source/${name}`), join(build, name));
      copyFileSync(join(cache, "stdlib_hook.h"), join(build, "stdlib_hook.h"));
      const archive = join(cache, "stdlib.bin");
      const bytes = readFileSync(archive);
      // Four bytes with the length of the index, and a digest; stdlib.c reads the rest from a file.
      const length = part === "whole" ? bytes.length : 36 + bytes.readUInt32LE(0);
      const assembly = text("source/archive.s.in")
        .toString()
        .replace("@ARCHIVE@", archive)
        .replace("@LENGTH@", String(length));
      writeFileSync(join(build, "archive.s"), assembly);
      writeFileSync(join(build, "guest.mk"), linkRules(parts, part));
      await run("make", ["-f", "guest.mk", `OPT=${OPT}`, `${part}.wasm`], {
        cwd: build,
        env: environment(),
      });
    },
  });
}

/** CPython's own rule for its program, with our parts in place of Programs/python.o and of the C library's start. */
function linkRules(parts, part) {
  const objects = [...parts.map((name) => name.replace(".c", "-guest.o")), "archive-guest.o"].join(
    " ",
  );
  const flags = [
    "-nostartfiles",
    `-Wl,-z,stack-size=${STACK_BYTES}`,
    `-Wl,--initial-memory=${MEMORY_BYTES}`,
    "-Wl,--export=__stack_pointer",
    ...(part === "core" ? ["-Wl,--export-table"] : []),
    `-Wl,-Map=${part}.map`,
  ].join(" ");
  return `include Makefile
%-guest.o: %.c
	$(CC) -c $(PY_CORE_CFLAGS) -I. -o $@ $<
archive-guest.o: archive.s
	$(CC) -c -o $@ $<
${part}.wasm: ${objects} $(LINK_PYTHON_DEPS)
	$(LINKCC) $(PY_CORE_LDFLAGS) $(LINKFORSHARED) ${flags} -o $@ ${objects} $(LINK_PYTHON_OBJS) $(LIBS) $(MODLIBS) $(SYSLIBS)
`;
}

/** Takes the tables of {@link COLD} out of the core; they follow the library in its file. */
function cutCore(linked) {
  const output = join(cache, "stdlib-and-tables.bin");
  return runStep("cut-core", {
    inputs: [
      linked,
      readFileSync(fileURLToPath(new URL("cold-data.mjs", import.meta.url))),
      readFileSync(fileURLToPath(new URL("leb128.mjs", import.meta.url))),
      JSON.stringify(COLD),
    ],
    output,
    work: async () => {
      const file = join(build, "core.wasm");
      const library = readFileSync(join(cache, "stdlib.bin"));
      const objects = COLD.map((name) => `Modules/${name}.o`);
      const { module, data } = cutColdData(
        readFileSync(file),
        readFileSync(join(build, "core.map"), "latin1"),
        objects,
        "cold-guest.o:(.data.cold_table)",
        library.length,
      );
      writeFileSync(join(build, "core-cut.wasm"), module);
      writeFileSync(output, Buffer.concat([library, data]));
    },
  });
}

function optimize(part, linked) {
  const input = join(build, part === "core" ? "core-cut.wasm" : `${part}.wasm`);
  const output = join(cache, `${part}.wasm`);
  return runStep(`optimize-${part}`, {
    inputs: [linked],
    output,
    work: async () => {
      const words = ["-Oz", "--strip-debug", "--strip-producers"];
      await run(tools.wasmOpt, [...words, input, "-o", output]);
    },
  });
}

async function finish(before) {
  const dist = here("dist");
  await runStep("finish", {
    inputs: [
      ...before,
      readFileSync(fileURLToPath(new URL("keep-exports.mjs", import.meta.url))),
      readFileSync(fileURLToPath(new URL("leb128.mjs", import.meta.url))),
      JSON.stringify([RESULTS, LICENCES]),
    ],
    output: join(dist, "python-core.wasm"),
    work: async () => {
      mkdirSync(dist, { recursive: true });
      for (const [name, { part, names }] of Object.entries(RESULTS)) {
        const whole = readFileSync(join(cache, `${part}.wasm`));
        writeFileSync(join(dist, name), keepExports(whole, names));
      }
      copyFileSync(join(cache, "stdlib-and-tables.bin"), join(dist, "python-stdlib.bin"));
      writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), notices());
    },
  });
}

function notices() {
  return Object.entries(LICENCES)
    .map(([name, [folder, file]]) => {
      const path = join(folder, file);
      // Debian's packages may be installed without their documentation.
      const words = existsSync(path)
        ? readFileSync(path, "utf8")
        : "See the Debian package of that name.\n";
      return `${"=".repeat(76)}\n${name}\n${"=".repeat(76)}\n\n${words}`;
    })
    .join("\n");
}
