// Assembles WAT and builds modules by hand for the tests of the binary reader; Node.
import wabt from "wabt";

const assembler = await wabt();

/** Every feature that wabt knows, so that tests can assemble what the reader has to refuse. */
const FEATURES = {
  exceptions: true,
  mutable_globals: true,
  sat_float_to_int: true,
  sign_extension: true,
  simd: true,
  threads: true,
  function_references: true,
  multi_value: true,
  tail_call: true,
  bulk_memory: true,
  reference_types: true,
  code_metadata: true,
  gc: true,
  memory64: true,
  multi_memory: true,
  extended_const: true,
  relaxed_simd: true,
};

/** Assembles a module, without validating it, with debug names when asked for. */
export function wat(text: string, debugNames = false): Uint8Array<ArrayBuffer> {
  const module = assembler.parseWat("test.wat", text, FEATURES);
  try {
    return new Uint8Array(module.toBinary({ write_debug_names: debugNames }).buffer);
  } finally {
    module.destroy();
  }
}

/** A module of hand-made sections: numbers and bytes of each body. */
export function moduleOf(
  ...sections: readonly (readonly [id: number, body: readonly number[]])[]
): Uint8Array<ArrayBuffer> {
  const parts = [[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]];
  for (const [id, body] of sections) parts.push([id, ...lebOf(body.length)], [...body]);
  return Uint8Array.from(parts.flat());
}

/** Unsigned LEB128. */
export function lebOf(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return [...bytes, value];
}

/** The code of the SandboxError that `action` throws, and its message; "none" when it throws none. */
export function errorOf(action: () => unknown): { code: string; message: string; data: unknown } {
  try {
    action();
  } catch (error) {
    const { code, message, data } = error as { code: string; message: string; data: unknown };
    return { code, message, data };
  }
  return { code: "none", message: "", data: undefined };
}
