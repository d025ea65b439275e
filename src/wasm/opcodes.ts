// The instructions of WebAssembly and its proposals: what follows each opcode and which feature it needs; any realm.
import { FEATURE } from "./features.ts";

/** What follows an opcode. The order matters to nothing; small numbers let a switch become a jump table. */
export const IMMEDIATE = {
  none: 0,
  index: 1,
  memarg: 2,
  i32: 3,
  block: 4,
  end: 5,
  i64: 6,
  f64: 7,
  f32: 8,
  brTable: 9,
  else: 10,
  prefix: 11,
  twoIndices: 12,
  memoryIndex: 13,
  threeIndices: 14,
  heapType: 15,
  selectTypes: 16,
  tryTable: 17,
  catch: 18,
  delegate: 19,
  lane: 20,
  memargLane: 21,
  bytes16: 22,
  twoMemoryIndices: 23,
  memoryInit: 24,
  castBranch: 25,
  handlers: 26,
  tagHandlers: 27,
  zero: 28,
  unknown: 29,
} as const;

/** What to know of each opcode of one space (the first bytes, or what follows one prefix), by number. */
export interface OpcodeTable {
  /** One of IMMEDIATE. */
  readonly immediate: Uint8Array;
  /** A number of FEATURE; 0 for the first version of WebAssembly. */
  readonly feature: Uint8Array;
}

/** First opcode, last opcode, what follows, feature. */
type Row = readonly [first: number, last: number, immediate: number, feature?: number];

function tableOf(size: number, rows: readonly Row[]): OpcodeTable {
  const immediate = new Uint8Array(size).fill(IMMEDIATE.unknown);
  const feature = new Uint8Array(size);
  for (const [first, last, follows, needs = 0] of rows) {
    immediate.fill(follows, first, last + 1);
    feature.fill(needs, first, last + 1);
  }
  return { immediate, feature };
}

const I = IMMEDIATE;
const F = FEATURE;

/** Opcodes of one byte. */
export const OPCODES = tableOf(256, [
  [0x00, 0x01, I.none], // unreachable, nop
  [0x02, 0x04, I.block], // block, loop, if
  [0x05, 0x05, I.else],
  [0x06, 0x06, I.block, F.legacy_exceptions], // try
  [0x07, 0x07, I.catch, F.legacy_exceptions],
  [0x08, 0x08, I.index, F.exceptions], // throw
  [0x09, 0x09, I.index, F.legacy_exceptions], // rethrow
  [0x0a, 0x0a, I.none, F.exnref], // throw_ref
  [0x0b, 0x0b, I.end],
  [0x0c, 0x0d, I.index], // br, br_if
  [0x0e, 0x0e, I.brTable],
  [0x0f, 0x0f, I.none], // return
  [0x10, 0x10, I.index], // call
  [0x11, 0x11, I.twoIndices], // call_indirect
  [0x12, 0x12, I.index, F.tail_calls], // return_call
  [0x13, 0x13, I.twoIndices, F.tail_calls], // return_call_indirect
  [0x14, 0x14, I.index, F.typed_function_references], // call_ref
  [0x15, 0x15, I.index, F.tail_calls], // return_call_ref
  [0x18, 0x18, I.delegate, F.legacy_exceptions],
  [0x19, 0x19, I.catch, F.legacy_exceptions], // catch_all
  [0x1a, 0x1b, I.none], // drop, select
  [0x1c, 0x1c, I.selectTypes, F.reference_types],
  [0x1f, 0x1f, I.tryTable, F.exnref],
  [0x20, 0x24, I.index], // local.get, .set, .tee, global.get, .set
  [0x25, 0x26, I.index, F.reference_types], // table.get, .set
  [0x28, 0x3e, I.memarg],
  [0x3f, 0x40, I.memoryIndex], // memory.size, .grow
  [0x41, 0x41, I.i32],
  [0x42, 0x42, I.i64],
  [0x43, 0x43, I.f32],
  [0x44, 0x44, I.f64],
  [0x45, 0xbf, I.none],
  [0xc0, 0xc4, I.none, F.sign_extension],
  [0xd0, 0xd0, I.heapType, F.reference_types], // ref.null
  [0xd1, 0xd1, I.none, F.reference_types], // ref.is_null
  [0xd2, 0xd2, I.index, F.reference_types], // ref.func
  [0xd3, 0xd3, I.none, F.gc], // ref.eq
  [0xd4, 0xd4, I.none, F.typed_function_references], // ref.as_non_null
  [0xd5, 0xd6, I.index, F.typed_function_references], // br_on_null, br_on_non_null
  [0xe0, 0xe0, I.index, F.stack_switching], // cont.new
  [0xe1, 0xe1, I.twoIndices, F.stack_switching], // cont.bind
  [0xe2, 0xe2, I.index, F.stack_switching], // suspend
  [0xe3, 0xe3, I.handlers, F.stack_switching], // resume
  [0xe4, 0xe4, I.tagHandlers, F.stack_switching], // resume_throw
  [0xe5, 0xe5, I.handlers, F.stack_switching], // resume_throw_ref
  [0xe6, 0xe6, I.twoIndices, F.stack_switching], // switch
  [0xfb, 0xfe, I.prefix],
]);

/** After 0xfb: garbage collection and custom descriptors. */
const GC = tableOf(0x27, [
  [0, 1, I.index, F.gc], // struct.new, .new_default
  [2, 5, I.twoIndices, F.gc], // struct.get, .get_s, .get_u, .set
  [6, 7, I.index, F.gc], // array.new, .new_default
  [8, 10, I.twoIndices, F.gc], // array.new_fixed, .new_data, .new_elem
  [11, 14, I.index, F.gc], // array.get, .get_s, .get_u, .set
  [15, 15, I.none, F.gc], // array.len
  [16, 16, I.index, F.gc], // array.fill
  [17, 19, I.twoIndices, F.gc], // array.copy, .init_data, .init_elem
  [20, 23, I.heapType, F.gc], // ref.test, ref.cast
  [24, 25, I.castBranch, F.gc], // br_on_cast, br_on_cast_fail
  [26, 30, I.none, F.gc], // conversions of any and extern, ref.i31, i31.get
  [31, 31, I.none, F.shared_everything], // ref.i31_shared
  [32, 34, I.index, F.custom_descriptors], // struct.new_desc, .new_default_desc, ref.get_desc
  [35, 36, I.heapType, F.custom_descriptors], // ref.cast_desc_eq
  [37, 38, I.castBranch, F.custom_descriptors], // br_on_cast_desc_eq, _fail
]);

/** After 0xfc: conversions that do not trap, bulk memory, and small proposals. */
const MISC = tableOf(0x32, [
  [0, 7, I.none, F.saturating_float_to_int],
  [8, 8, I.memoryInit, F.bulk_memory],
  [9, 9, I.index, F.bulk_memory], // data.drop
  [10, 10, I.twoMemoryIndices, F.bulk_memory], // memory.copy
  [11, 11, I.memoryIndex, F.bulk_memory], // memory.fill
  [12, 12, I.twoIndices, F.bulk_memory], // table.init
  [13, 13, I.index, F.bulk_memory], // elem.drop
  [14, 14, I.twoIndices, F.bulk_memory], // table.copy
  [15, 17, I.index, F.reference_types], // table.grow, .size, .fill
  [18, 18, I.memoryIndex, F.memory_control], // memory.discard
  [19, 22, I.none, F.wide_arithmetic], // i64.add128, .sub128, .mul_wide_s, .mul_wide_u
  [0x30, 0x31, I.memarg, F.half_precision], // f32.load_f16, .store_f16
]);

/** Numbers that the SIMD space leaves free. */
const SIMD_GAPS = [
  0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb, 0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2,
  0xd3, 0xd4, 0xe2, 0xee,
];

/** After 0xfd: vectors, relaxed vectors, half-precision vectors. */
const SIMD = tableOf(0x150, [
  [0x00, 0x0b, I.memarg, F.simd],
  [0x0c, 0x0d, I.bytes16, F.simd], // v128.const, i8x16.shuffle
  [0x0e, 0x14, I.none, F.simd],
  [0x15, 0x22, I.lane, F.simd],
  [0x23, 0x53, I.none, F.simd],
  [0x54, 0x5b, I.memargLane, F.simd],
  [0x5c, 0x5d, I.memarg, F.simd],
  [0x5e, 0xff, I.none, F.simd],
  ...SIMD_GAPS.map((gap): Row => [gap, gap, I.unknown]),
  [0x100, 0x113, I.none, F.relaxed_simd],
  [0x120, 0x120, I.none, F.half_precision],
  [0x121, 0x122, I.lane, F.half_precision],
  [0x123, 0x14f, I.none, F.half_precision],
]);

/** After 0xfe: threads, and shared tables, globals and structs. */
const ATOMIC = tableOf(0x73, [
  [0x00, 0x02, I.memarg, F.threads],
  [0x03, 0x03, I.zero, F.threads], // atomic.fence
  [0x04, 0x04, I.none, F.shared_everything], // pause
  [0x10, 0x4e, I.memarg, F.threads],
  // A byte that names the ordering comes first; it is as long as an index.
  [0x4f, 0x5b, I.twoIndices, F.shared_everything], // global.atomic, table.atomic
  [0x5c, 0x66, I.threeIndices, F.shared_everything], // struct.atomic
  [0x67, 0x71, I.twoIndices, F.shared_everything], // array.atomic
  [0x72, 0x72, I.none, F.shared_everything], // ref.i31_shared
]);

/** Tables by prefix, 0xfb first. */
export const PREFIXED: readonly OpcodeTable[] = [GC, MISC, SIMD, ATOMIC];
