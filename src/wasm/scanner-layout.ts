// Where things lie in the memory of the body scanner, for its text and its host; page, worker and Node.

/** Bodies walked side by side: one alone waits for each of its lengths, three keep the processor busy meanwhile. */
export const LANES = 3;

/** Bytes of code that one scan takes at most. A block takes two, so half as many can be open. */
export const LARGEST_WINDOW = 512 * 2 ** 10;

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
  stackBytes: LARGEST_WINDOW / 2,
  /** The piece of code section to scan. */
  window: 0x4000 + (LANES * LARGEST_WINDOW) / 2,
} as const;

/** After this many refused bodies a scan takes no more; those at work still fit in the list. */
export const MOST_REFUSED = 1_000;

/**
 * Fields of an entry of `info`. The lengths of an instruction's numbers show in the bytes after its opcode: every byte
 * without a continuation bit ends a number. So bit 7 of each byte is taken, inverted, and the lowest one set tells:
 * (its place + lengthField) >> 3 is the length of the instruction.
 */
export const INFO = {
  /** Bit 0: no number follows; it is set among the ends, below all of them. */
  noNumber: 0x01,
  /** Bits 0 to 6: eight times what to add, and noNumber. */
  lengthField: 0x7f,
  /** Bit 7: the first number, known to have one byte, is not the last; its end is taken away. */
  twoNumbers: 0x80,
  /** From bit 17, signed: what it does to the depth. */
  depth: 17,
  /** From bit 32: GUARD bits that the next byte must not have. */
  guard: 32,
  /** From bit 40: a PASS, what to do when the fast path does not judge. */
  pass: 40,
  /** From bit 48: a bit per feature number. */
  features: 48,
  /** From bit 60: what, added to its length, reaches 8 when its numbers are longer than the fast path judges. */
  margin: 60,
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
  twoIndices: 9,
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
