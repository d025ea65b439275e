// Bakes a command line and variables into a module, since ABI 1 gives a package neither; anywhere.

import { SandboxError } from "../errors.ts";
import { PACKAGE_COMMAND_LINE_BYTES } from "../limits.ts";
import { ByteReader } from "../wasm/byte-reader.ts";
import { concatenate } from "../wasm/concatenate.ts";
import type { ModuleShape } from "../wasm/module-shape.ts";
import { ModuleWalker } from "../wasm/module-walker.ts";
import { sizesBody, textsBody } from "./constant-texts.ts";
import { lebBytes, redirectCalls } from "./redirect-calls.ts";

/** What {@link bakeCommandLine} bakes in; what is left out stays with the host. */
export interface CommandLine {
  /** Arguments, argv[0] included. */
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const HEADER_BYTES = 8;
const FUNCTION_SECTION = 3;
const CODE_SECTION = 10;

/**
 * Adds functions that answer for `args_get`, `args_sizes_get`, `environ_get` and `environ_sizes_get`, and lets every call
 * of those imports call them instead. The imports stay, unused; nothing else of the module changes.
 *
 * @throws SandboxError `bad_option` for texts that cannot be, `bad_package` for a module that asks for none of it
 * @example
 * bakeCommandLine(python, { argv: ["python", "/package/main.py"], env: { PYTHONUNBUFFERED: "1" } });
 */
export function bakeCommandLine(
  module: Uint8Array<ArrayBuffer>,
  { argv, env }: CommandLine,
): Uint8Array<ArrayBuffer> {
  const walker = new ModuleWalker({ memoryBytes: "declared" }, () => {});
  walker.push(module);
  walker.end();
  const { shape } = walker;
  const plan = new Plan(shape);
  if (argv !== undefined) plan.answer("args", checkTexts("argv", argv));
  if (env !== undefined) plan.answer("environ", checkTexts("env", variables(env)));
  return concatenate(rewrite(module, shape, plan));
}

/** Which imports get a function of the module's own. */
class Plan {
  readonly redirects = new Map<number, number>();
  /** Types and bodies of the added functions, in order. */
  readonly types: number[] = [];
  readonly bodies: Uint8Array[] = [];
  readonly #shape: ModuleShape;

  constructor(shape: ModuleShape) {
    this.#shape = shape;
  }

  answer(group: "args" | "environ", texts: readonly Uint8Array[]): void {
    const found =
      Number(this.#add(`${group}_sizes_get`, sizesBody(texts))) +
      Number(this.#add(`${group}_get`, textsBody(texts)));
    if (found === 2) return;
    const option = group === "args" ? "argv" : "env";
    throw new SandboxError(
      "bad_package",
      `${option} cannot be baked in: the module does not import ${group}_sizes_get and ${group}_get`,
      { data: { option } },
    );
  }

  #add(name: string, body: Uint8Array): boolean {
    const { imports, functionTypes } = this.#shape;
    const functions = imports.filter(({ kind }) => kind === "function");
    const index = functions.findIndex(
      (entry) => entry.module === "wasi_snapshot_preview1" && entry.name === name,
    );
    if (index < 0) return false;
    this.redirects.set(index, functionTypes.length + this.types.length);
    this.types.push(functionTypes[index]!);
    this.bodies.push(body);
    return true;
  }
}

function rewrite(module: Uint8Array, shape: ModuleShape, plan: Plan): Uint8Array[] {
  const parts: Uint8Array[] = [module.subarray(0, HEADER_BYTES)];
  const reader = new ByteReader(module, HEADER_BYTES);
  while (reader.at < module.length) {
    const start = reader.at;
    const id = reader.byte();
    const size = reader.u32();
    const content = module.subarray(reader.at, reader.at + size);
    reader.skip(size);
    if (id === FUNCTION_SECTION) parts.push(...section(id, addTypes(content, plan.types)));
    else if (id === CODE_SECTION) {
      const { redirects, bodies: added } = plan;
      parts.push(...section(id, redirectCalls(content, shape, { redirects, added })));
    } else parts.push(module.subarray(start, reader.at));
  }
  return parts;
}

function section(id: number, content: readonly Uint8Array[]): Uint8Array[] {
  const size = content.reduce((sum, { length }) => sum + length, 0);
  return [Uint8Array.of(id), lebBytes(size), ...content];
}

function addTypes(content: Uint8Array, types: readonly number[]): Uint8Array[] {
  const reader = new ByteReader(content);
  const count = reader.u32();
  return [lebBytes(count + types.length), content.subarray(reader.at), ...types.map(lebBytes)];
}

function variables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => {
    if (name === "" || name.includes("=")) {
      throw new SandboxError(
        "bad_option",
        `the option env is wrong: ${JSON.stringify(name)} is no name`,
      );
    }
    return `${name}=${value}`;
  });
}

/** UTF-8, each ended by a zero byte. */
function checkTexts(option: string, texts: readonly unknown[]): Uint8Array[] {
  let bytes = 0;
  return texts.map((text) => {
    if (typeof text !== "string" || text.includes("\0")) {
      throw new SandboxError(
        "bad_option",
        `the option ${option} is wrong: texts without NUL, please`,
      );
    }
    const encoded = new TextEncoder().encode(`${text}\0`);
    bytes += encoded.length;
    if (bytes > PACKAGE_COMMAND_LINE_BYTES) {
      throw new SandboxError(
        "bad_option",
        `the option ${option} is wrong: more than ${PACKAGE_COMMAND_LINE_BYTES} bytes`,
      );
    }
    return encoded;
  });
}
