// Runs the programs of build/typical on a module that counts its calls, and says which functions each of them called; Node.
import {
  ConsoleStdout,
  Directory,
  File,
  OpenFile,
  PreopenDirectory,
  WASI,
} from "@bjorn3/browser_wasi_shim";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { guestHalves } from "../../../scripts/embed-guest-halves.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAGE_BYTES = 65_536;
/** For a profile: four bytes a function. */
const PROFILE_PAGES = 16;
const STDIN = "Ada\nthe rest\n";
const TABLE = "region,code\nEMEA,é\n";
const DESCRIPTOR = {
  name: "lookup_region",
  description: "Region of a code",
  inputSchema: {
    type: "object",
    properties: { code: { type: "string" } },
    required: ["code"],
  },
};

/**
 * @param {Uint8Array} counting of wasm-split, with Python started
 * @param {Uint8Array} library the file of the standard library
 * @param {string} loader the export that loads what is deferred, which belongs to each profile
 * @returns {Uint8Array[]} the profiles
 */
export function profileTypical(counting, library, loader) {
  const module = new WebAssembly.Module(counting);
  const programs = readdirSync(here("typical")).filter((name) => name.endsWith(".py"));
  return programs.flatMap((name) => {
    const program = readFileSync(here(`typical/${name}`), "utf8");
    // The shim measures arguments in characters.
    if (/[^\x00-\x7f]/.test(program)) throw new Error(`${name} has to be ASCII alone`);
    return Object.values(OUTPUTS).map((output) =>
      profileProgram(module, program, { library, loader, output }),
    );
  });
}

/** What standard streams are: a terminal, or a file. Each says how much was written to it. */
const OUTPUTS = {
  terminal: () => {
    let size = 0;
    const stream = new ConsoleStdout((bytes) => (size += bytes.length));
    return { stream, size: () => size };
  },
  file: () => {
    const file = new File([]);
    return { stream: new OpenFile(file), size: () => file.data.length };
  },
};

/** A program may end with an exception; what cannot be is that it says nothing. */
function profileProgram(module, program, { library, loader, output }) {
  const told = [output(), output()];
  const stdin = new OpenFile(new File(new TextEncoder().encode(STDIN)));
  const host = new WASI(
    ["python", "-c", program],
    ["PYTHONPATH=/lib/sallyport/python"],
    [stdin, ...told.map(({ stream }) => stream), root(library)],
    { debug: false },
  );
  let exports;
  const memory = () => exports.memory.buffer;
  const instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: {
      ...host.wasiImport,
      poll_oneoff: (...words) => poll(memory(), ...words),
    },
    host: { call: (...words) => callHost(exports, ...words) },
    sallyport: { load_code: () => 0 },
  });
  ({ exports } = instance);
  host.inst = instance;
  try {
    exports.snapshot_run();
  } catch (error) {
    // What it called until then counts, too; the tests run the same programs to their end.
    if (!/exit with exit code/.test(String(error)))
      console.log(`  a typical program broke: ${error}`);
  }
  if (told.every(({ size }) => size() === 0)) throw new Error("a typical program did not run");
  exports[loader]();
  const at = exports.memory.grow(PROFILE_PAGES) * PAGE_BYTES;
  const length = exports.__write_profile(at, PROFILE_PAGES * PAGE_BYTES);
  return new Uint8Array(memory(), at, length).slice();
}

/**
 * Everything that is waited for has happened. The shim takes one subscription alone, does not say how many events it wrote,
 * and looks for the flags in another place: a guest reads what nobody wrote, or sleeps for as long as the process lives.
 */
function poll(buffer, subscriptions, events, count, written) {
  const view = new DataView(buffer);
  for (let at = 0; at < count; at += 1) {
    const [from, to] = [subscriptions + 48 * at, events + 32 * at];
    new Uint8Array(buffer, to, 32).fill(0);
    view.setBigUint64(to, view.getBigUint64(from, true), true);
    view.setUint8(to + 10, view.getUint8(from + 8));
  }
  view.setUint32(written, count, true);
  return 0;
}

function root(library) {
  const folder = (entries) => new Directory(new Map(Object.entries(entries)));
  const half = Object.entries(guestHalves()).flatMap(([path, text]) => {
    const [, name] = /^python\/host\/(.+)$/.exec(path) ?? [];
    return name ? [[name, new File(new TextEncoder().encode(text))]] : [];
  });
  const contents = {
    lib: folder({
      "python3.11": folder({ "stdlib.bin": new File(library, { readonly: true }) }),
      sallyport: folder({ python: folder({ host: folder(Object.fromEntries(half)) }) }),
    }),
    tmp: folder({}),
    "data.csv": new File(new TextEncoder().encode(TABLE)),
  };
  return new PreopenDirectory("/", new Map(Object.entries(contents)));
}

/** The page's part of the tool protocol, as far as the programs here go. */
function callHost({ memory, host_alloc: alloc }, pointer, length, outPointer, outLength) {
  const frame = JSON.parse(
    new TextDecoder().decode(new Uint8Array(memory.buffer, pointer, length)),
  );
  const { v, id, op, args } = frame;
  const value = { region: "Europe", sales: [1.5, 2] };
  const result =
    args?.code === "ATLANTIS"
      ? { ok: false, error: { kind: "tool_error", message: "no such region" } }
      : { ok: true, ...(op === "list" ? { tools: [DESCRIPTOR] } : { value }) };
  const answer = new TextEncoder().encode(JSON.stringify({ v, id, ...result }));
  const at = alloc(answer.length);
  new Uint8Array(memory.buffer, at, answer.length).set(answer);
  const words = new DataView(memory.buffer);
  words.setUint32(outPointer, at, true);
  words.setUint32(outLength, answer.length, true);
  return 0;
}
