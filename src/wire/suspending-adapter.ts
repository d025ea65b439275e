// The adapter module of the suspending rung, written byte by byte: no compiler at hand in a page; compiled for both realms.
//
// For each import: (func (export NAME) (param …) (result i32) (local $r i32)
//   (if (result i32) (i32.eq (local.tee $r (call $plain …)) (i32.const BLOCKED)) (then (call $blocked)) (else $r)))

/** What a plain half returns when the import has to block; no import has this value to give. */
export const BLOCKED = -0x80000000;

const I32 = 0x7f;
const I64 = 0x7e;
const TYPE_OF: Readonly<Record<string, number>> = { i: I32, I: I64 };

/** Of the runs so far: a worker's guests have one module, and so one list of imports. */
const compiled = new Map<string, WebAssembly.Module>();
const MOST_COMPILED = 8;

/** The adapter for imports given as [name, parameters], parameters as in `BlockingEntry`. */
export function adapterModule(
  entries: readonly (readonly [name: string, parameters: string])[],
): WebAssembly.Module {
  const key = JSON.stringify(entries);
  const known = compiled.get(key);
  if (known) return known;
  const module = compileAdapter(entries);
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  compiled.set(key, module);
  return module;
}

/** Compiles the adapter for imports given as [name, parameters], parameters as in `BlockingEntry`. */
function compileAdapter(
  entries: readonly (readonly [name: string, parameters: string])[],
): WebAssembly.Module {
  const count = entries.length;
  const types = entries.map(([, parameters]) => [
    0x60,
    ...vector([...parameters].map((letter) => [TYPE_OF[letter]!])),
    ...vector([[I32]]),
  ]);
  const resultOnly = [0x60, 0, ...vector([[I32]])];
  const imports = entries.flatMap(([name], index) => [
    [...text("plain"), ...text(name), 0x00, ...unsigned(index)],
    [...text("blocked"), ...text(name), 0x00, ...unsigned(count)],
  ]);
  const functions = entries.map((_, index) => unsigned(index));
  const exports = entries.map(([name], index) => [
    ...text(name),
    0x00,
    ...unsigned(2 * count + index),
  ]);
  const bodies = entries.map(([, parameters], index) => body(parameters.length, 2 * index));
  return new WebAssembly.Module(
    new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, vector([...types, resultOnly])),
      ...section(2, vector(imports)),
      ...section(3, vector(functions)),
      ...section(7, vector(exports)),
      ...section(10, vector(bodies)),
    ]),
  );
}

function body(parameters: number, plain: number): number[] {
  const getParameters = Array.from({ length: parameters }, (_, n) => [0x20, ...unsigned(n)]).flat();
  const local = unsigned(parameters);
  const code = [
    ...[1, 1, I32], // one local of type i32
    ...getParameters,
    ...[0x10, ...unsigned(plain)], // call $plain
    ...[0x22, ...local], // local.tee
    ...[0x41, 0x80, 0x80, 0x80, 0x80, 0x78], // i32.const BLOCKED
    ...[0x46, 0x04, I32], // i32.eq, if (result i32)
    ...[0x10, ...unsigned(plain + 1)], // call $blocked
    ...[0x05, 0x20, ...local, 0x0b, 0x0b], // else local.get, end, end
  ];
  return [...unsigned(code.length), ...code];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  const bytes = new TextEncoder().encode(value);
  return [...unsigned(bytes.length), ...bytes];
}

/** A number as WebAssembly writes it (LEB128). */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return [...bytes, rest];
}
