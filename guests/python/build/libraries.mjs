// The C libraries that CPython's modules need, as archives for WebAssembly; Node built-ins only.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { cache, run, runStep } from "./run-step.mjs";
import { SOURCES, sourceFolder } from "./sources.mjs";
import { tools } from "./toolchain.mjs";

/** Each library's files and flags. `headers` are copied beside the archive. */
const LIBRARIES = {
  z: {
    source: "zlib",
    files: [
      "adler32",
      "crc32",
      "deflate",
      "infback",
      "inffast",
      "inflate",
      "inftrees",
      "trees",
      "zutil",
      "compress",
      "uncompr",
    ],
    flags: ["-DHAVE_UNISTD_H", "-I."],
    headers: ["zlib.h", "zconf.h"],
  },
  bz2: {
    source: "bzip2",
    files: ["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"],
    flags: ["-I."],
    headers: ["bzlib.h"],
  },
  lzma: {
    source: "xz-utils",
    folder: "src/liblzma",
    files: lzmaFiles,
    flags: lzmaFlags(),
    headers: ["api/lzma.h", "api/lzma"],
  },
  sqlite3: {
    source: "sqlite3",
    prepare: amalgamate,
    files: ["sqlite3"],
    flags: [
      "-DSQLITE_THREADSAFE=0",
      "-DSQLITE_OMIT_LOAD_EXTENSION",
      "-DSQLITE_OMIT_WAL",
      "-DSQLITE_DEFAULT_MEMSTATUS=0",
      "-DSQLITE_OMIT_DEPRECATED",
      "-DSQLITE_ENABLE_MATH_FUNCTIONS",
      "-DSQLITE_ENABLE_FTS5",
      "-DSQLITE_ENABLE_COLUMN_METADATA",
      "-DSQLITE_MAX_EXPR_DEPTH=500",
      '-DSQLITE_DEFAULT_UNIX_VFS="unix-none"',
      "-DHAVE_UTIME=0",
      "-DHAVE_FCHMOD=0",
      "-DHAVE_FCHOWN=0",
      "-DSQLITE_TEMP_STORE=3",
      "-D_WASI_EMULATED_GETPID",
      "-include",
      "sqlite-wasi.h",
      "-I.",
    ],
    headers: ["sqlite3.h"],
  },
};

/** Where a library's archive and headers are: `lib<name>.a`. */
export const libraryFolder = (name) => join(cache, "libraries", name);

/** Builds all of them. */
export async function buildLibraries(extraSource) {
  const keys = [];
  for (const [name, library] of Object.entries(LIBRARIES)) {
    const { source, flags } = library;
    const target = libraryFolder(name);
    keys.push(
      await runStep(`lib${name}`, {
        inputs: [
          SOURCES[source].sha256,
          JSON.stringify(flags),
          String(library.files),
          String(library.prepare ?? ""),
          extraSource,
        ],
        output: join(target, `lib${name}.a`),
        work: () => build(name, library, target),
      }),
    );
  }
  return keys;
}

async function build(name, { source, folder = "", files, flags, headers, prepare }, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, "o"), { recursive: true });
  const cwd = join(sourceFolder(source), folder);
  if (prepare) await prepare(cwd);
  const list = typeof files === "function" ? files(cwd) : files;
  const objects = [];
  const queue = [...list];
  const worker = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const object = join(target, "o", `${file.replaceAll("/", "_")}.o`);
      objects.push(object);
      const words = [
        ...tools.flags,
        "-Os",
        "-DNDEBUG",
        "-Wno-everything",
        ...flags,
        "-c",
        `${file}.c`,
        "-o",
        object,
      ];
      await run(tools.clang, words, { cwd });
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, cpus().length) }, worker));
  await run(tools.ar, [
    "rcs",
    join(target, `lib${name}.a`),
    ...objects.sort((a, b) => (a < b ? -1 : 1)),
  ]);
  for (const header of headers) {
    if (header.endsWith(".h")) copyFileSync(join(cwd, header), join(target, basename(header)));
    else await run("cp", ["-r", join(cwd, header), target]);
  }
}

/** liblzma without threads, from its folders, as its own configure would choose for small machines. */
function lzmaFiles(folder) {
  const skip =
    /_tablegen$|_mt$|outqueue$|hardware_cputhreads$|_small$|crc(32|64)_x86$|stream_encoder_mt|file_info$|microlzma|lzip_decoder$/;
  const found = ["common", "check", "lz", "lzma", "rangecoder", "delta", "simple"].flatMap((part) =>
    readdirSync(join(folder, part))
      .filter((file) => file.endsWith(".c"))
      .map((file) => `${part}/${file.slice(0, -2)}`),
  );
  return found.filter(
    (file) => !skip.test(file) || file === "common/file_info" || file === "common/lzip_decoder",
  );
}

function lzmaFlags() {
  const coders = [
    "LZMA1",
    "LZMA2",
    "DELTA",
    "X86",
    "ARM",
    "ARMTHUMB",
    "ARM64",
    "POWERPC",
    "IA64",
    "SPARC",
  ];
  const both = coders.flatMap((coder) => [`-DHAVE_ENCODER_${coder}`, `-DHAVE_DECODER_${coder}`]);
  const finders = ["HC3", "HC4", "BT2", "BT3", "BT4"].map((finder) => `-DHAVE_MF_${finder}`);
  const checks = ["CRC32", "CRC64", "SHA256"].map((check) => `-DHAVE_CHECK_${check}`);
  const folders = [
    "api",
    "common",
    "check",
    "lz",
    "lzma",
    "rangecoder",
    "delta",
    "simple",
    "../common",
  ];
  return [
    ...both,
    ...finders,
    ...checks,
    "-D_WASI_EMULATED_SIGNAL",
    "-Dsigset_t=int",
    "-Dsigprocmask(how,set,old)=0",
    "-DHAVE_ENCODERS",
    "-DHAVE_DECODERS",
    "-DHAVE_STDBOOL_H",
    "-DHAVE_STDINT_H",
    "-DHAVE_INTTYPES_H",
    "-DHAVE_LIMITS_H",
    "-DHAVE_STRING_H",
    "-DHAVE_LZIP_DECODER",
    "-DSIZEOF_SIZE_T=4",
    "-DTUKLIB_SYMBOL_PREFIX=lzma_",
    "-DASSUME_RAM=64",
    '-DPACKAGE_NAME="XZ Utils"',
    '-DPACKAGE_URL="https://tukaani.org/xz/"',
    ...folders.map((folder) => `-I${folder}`),
  ];
}

/** sqlite3.c of its many files, by its own makefile, on this machine. */
async function amalgamate(folder) {
  await run("sh", ["./configure", "--disable-tcl", "--disable-readline", "--disable-shared"], {
    cwd: folder,
  });
  await run("make", ["-j2", "sqlite3.c"], { cwd: folder });
  copyFileSync(new URL("../source/sqlite-wasi.h", import.meta.url), join(folder, "sqlite-wasi.h"));
}

/** For Modules/Setup.local: where a module finds its library. */
export function setupWords(name) {
  return `-I${libraryFolder(name)} -L${libraryFolder(name)} -l${name}`;
}
