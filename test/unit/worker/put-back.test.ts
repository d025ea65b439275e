// Random modules: whatever their code did, an instance that may be put back is then like a new one; Node.
import { expect, test } from "vitest";
import { whyNotInPlace } from "../../../src/page/in-place.ts";
import { boundModule } from "../../../src/wasm/bound-module.ts";
import { InstanceCopy } from "../../../src/worker/snapshot-memory.ts";
import { wat } from "../wasm/wat.ts";

const MODULES = 400;

type Pick = <T>(choices: readonly T[]) => T;

/** The same numbers for the same seed. */
function pickOf(seed: number): Pick {
  let state = seed * 2_654_435_761 + 1;
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices[(state >>> 8) % choices.length]!;
  };
}

const ADDRESSES = ["0", "4", "1023", "4096", "65532", "70000", "131060"];
const NUMBERS = ["0", "1", "-1", "12345", "0x7fffffff"];

/** Statements that leave an instance as memory and globals say. */
const HARMLESS = [
  (pick: Pick) => `(i32.store (i32.const ${pick(ADDRESSES)}) (i32.const ${pick(NUMBERS)}))`,
  (pick: Pick) => `(memory.fill (i32.const ${pick(ADDRESSES)}) (i32.const 7) (i32.const 9))`,
  (pick: Pick) =>
    `(memory.copy (i32.const ${pick(ADDRESSES)}) (i32.const ${pick(ADDRESSES)}) (i32.const 8))`,
  (pick: Pick) =>
    `(memory.init $passive (i32.const ${pick(ADDRESSES)}) (i32.const 0) (i32.const 4))`,
  (pick: Pick) => `(global.set $narrow (i32.const ${pick(NUMBERS)}))`,
  (pick: Pick) => `(global.set $wide (i64.const ${pick(NUMBERS)}))`,
  (pick: Pick) => `(global.set $single (f32.const ${pick(["nan", "-0", "1.5", "inf"])}))`,
  (pick: Pick) => `(global.set $double (f64.const ${pick(["nan:0x123", "-0", "1.5", "inf"])}))`,
  (pick: Pick) => `(global.set $function (ref.func ${pick(["$one", "$two"])}))`,
  () => "(global.set $function (ref.null func))",
  () => "(global.set $shown (i32.add (global.get $shown) (i32.const 1)))",
];

/** Statements after which more than those has changed. */
const HARMFUL = [
  "(table.set $table (i32.const 0) (ref.func $two))",
  "(table.set $table (i32.const 1) (ref.null func))",
  "(table.fill $table (i32.const 0) (ref.null func) (i32.const 2))",
  "(drop (table.grow $table (ref.null func) (i32.const 1)))",
  "(table.init $table $elements (i32.const 1) (i32.const 0) (i32.const 1))",
  "(table.copy $table $table (i32.const 0) (i32.const 1) (i32.const 1))",
  "(data.drop $passive)",
  "(elem.drop $elements)",
  "(drop (memory.grow (i32.const 1)))",
];

const LIMITS = { memoryBytes: 2 ** 24, exportGlobals: true };

/** A module whose `act` does some statements, as it is compiled; the same for the same seed. */
function codeOf(seed: number, more: string): Uint8Array<ArrayBuffer> {
  const pick = pickOf(seed);
  const statements = Array.from({ length: pick([1, 2, 3, 5, 8]) }, () =>
    pick([0, 1, 2, 3, 4, 5]) === 0 ? pick(HARMFUL) : pick(HARMLESS)(pick),
  );
  const source = wat(`(module
    (memory (export "memory") 2 4)
    (table $table 3 8 funcref)
    (elem (table $table) (i32.const 0) func $one $two)
    (elem $elements func $two $one)
    (data (i32.const 4090) "active data")
    (data $passive "passive")
    (global $narrow (mut i32) (i32.const 3))
    (global $wide (mut i64) (i64.const -3))
    (global $single (mut f32) (f32.const 0.5))
    (global $double (mut f64) (f64.const 0.25))
    (global $function (mut funcref) (ref.func $one))
    (global $shown (export "shown") (mut i32) (i32.const 9))
    (type $number (func (result i32)))
    (func $one (type $number) (i32.const 1))
    (func $two (type $number) (i32.const 2))
    (func (export "act") ${statements.join(" ")})
    ${more})`);
  return boundModule(source, LIMITS).bytes;
}

/** Adds up everything that code can see of the instance, and traps at what is gone. It writes the table itself. */
const PROBE = `
    (func $sum (param $sum i64) (param $more i64) (result i64)
      (i64.xor (i64.mul (local.get $sum) (i64.const 1099511628211)) (local.get $more)))
    (func (export "probe") (result i64)
      (local $sum i64) (local $at i32) (local $entry funcref)
      (loop $more
        (local.set $sum (call $sum (local.get $sum) (i64.load (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br_if $more (i32.lt_u (local.get $at) (i32.shl (memory.size) (i32.const 16)))))
      (local.set $sum (call $sum (local.get $sum) (i64.extend_i32_s (global.get $narrow))))
      (local.set $sum (call $sum (local.get $sum) (global.get $wide)))
      (local.set $sum (call $sum (local.get $sum)
        (i64.extend_i32_s (i32.reinterpret_f32 (global.get $single)))))
      (local.set $sum (call $sum (local.get $sum) (i64.reinterpret_f64 (global.get $double))))
      (local.set $sum (call $sum (local.get $sum) (i64.extend_i32_s (global.get $shown))))
      (local.set $sum (call $sum (local.get $sum) (i64.extend_i32_s (table.size $table))))
      (local.set $sum (call $sum (local.get $sum)
        (i64.extend_i32_s (ref.is_null (table.get $table (i32.const 2))))))
      (local.set $sum (call $sum (local.get $sum)
        (i64.extend_i32_s (call_indirect $table (type $number) (i32.const 0)))))
      (local.set $sum (call $sum (local.get $sum)
        (i64.extend_i32_s (call_indirect $table (type $number) (i32.const 1)))))
      ;; What is dropped cannot be read any more.
      (memory.init $passive (i32.const 0) (i32.const 0) (i32.const 7))
      (table.init $table $elements (i32.const 0) (i32.const 0) (i32.const 2))
      (table.set $table (i32.const 2) (global.get $function))
      (call $sum (local.get $sum)
        (i64.extend_i32_s (call_indirect $table (type $number) (i32.const 2)))))`;

function call(instance: WebAssembly.Instance, name: string): unknown {
  try {
    return (instance.exports[name] as () => unknown)();
  } catch {
    return "trapped";
  }
}

test(`${MODULES} random modules are like new after they were put back, if they may be`, async () => {
  let mayBe = 0;
  let changed = 0;
  for (let seed = 1; seed <= MODULES; seed++) {
    if ((await whyNotInPlace(codeOf(seed, ""))) !== undefined) continue;
    const module = new WebAssembly.Module(codeOf(seed, PROBE));
    const fresh = call(new WebAssembly.Instance(module), "probe");
    const instance = new WebAssembly.Instance(module);
    const copy = new InstanceCopy(instance);
    if (call(instance, "act") === "trapped" || !copy.restore()) continue;
    mayBe += 1;
    expect(call(instance, "probe"), `seed ${seed}`).toBe(fresh);
    const other = new WebAssembly.Instance(module);
    call(other, "act");
    if (call(other, "probe") !== fresh) changed += 1;
  }
  // Enough that were judged fit, and that would have been found out.
  expect(mayBe).toBeGreaterThan(MODULES / 5);
  expect(changed).toBeGreaterThan((mayBe * 9) / 10);
});
