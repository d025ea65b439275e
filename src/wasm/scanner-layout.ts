// Where things lie in the memory of the body scanner, for its text and its host; page, worker and Node.

/** Bodies walked side by side: one alone waits for each of its lengths, four keep the processor busy meanwhile. */
export const LANES = 4;

/** Addresses and sizes in bytes. */
export const LAYOUT = {
  /** What to know of each opcode: 256 entries of 8 bytes, fields as in INFO. */
  info: 0x0000,
  /** What the byte after an opcode is, as GUARD bits, by its value: 256 bytes. */
  classes: 0x0800,
  /** What follows the opcodes after 0xfc (32 bytes) and 0xfd (256 bytes): a FOLLOWS, and a feature from bit 4. */
  misc: 0x0900,
  simd: 0x0a00,
  /** The body of each lane: index, start and end in 16 bytes. */
  lanes: 0x0b00,
  /** 63 times nop and an end, for lanes that have no body. */
  idle: 0x0c00,
  idleEnd: 0x0c40,
  /** Bodies that were refused: index, start and end in 12 bytes each. */
  refused: 0x1000,
  /** Opcodes of the open blocks of each lane. */
  stacks: 0x4000,
  stackBytes: 0x4000,
  /** The piece of code section to scan. */
  window: 0x4000 + LANES * 0x4000,
} as const;

/** After this many refused bodies a scan takes no more; those at work still fit in the list. */
export const MOST_REFUSED = 1_000;

/** Fields of an entry of `info`, by their lowest bit. */
export const INFO = {
  /** No number follows. */
  noNumber: 0,
  /** Two numbers follow. */
  twoNumbers: 1,
  /** What, added to the length of the numbers, sets bit 3 when they are longer than the fast path judges. */
  margin: 4,
  /** Length of the opcode and of bytes that are no numbers. */
  fixed: 8,
  /** What it does to the depth, in steps of 1 << depth. */
  depth: 17,
  /** GUARD bits that the next byte must not have. */
  guard: 32,
  /** A PASS: what to do when the fast path does not judge. */
  pass: 40,
  /** A bit per feature number. */
  features: 48,
} as const;

/** What the byte after an opcode is. */
export const GUARD = { notPlainFlags: 1, notPlainBlock: 2, notZero: 4, any: 8 } as const;

/** What the scanner does with an instruction that its fast path does not judge. */
export const PASS = {
  refuse: 0,
  index: 1,
  i32: 2,
  i64: 3,
  memarg: 4,
  else: 5,
  brTable: 6,
  misc: 7,
  simd: 8,
} as const;

/** What follows an opcode after a prefix. */
export const FOLLOWS = {
  refuse: 0,
  nothing: 1,
  memarg: 2,
  byte: 3,
  memargByte: 4,
  bytes16: 5,
  zero: 6,
  twoZeros: 7,
} as const;
