// The sections of the binary format: numbers, names and order; page, worker and Node.

/** Section numbers of the binary format. */
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
  tag: 13,
} as const;

/** Place of each section number in the order that the format demands; custom sections (0) go anywhere. */
export const SECTION_ORDER: readonly number[] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 11, 6];

export const SECTION_NAMES: readonly string[] = [
  "custom",
  "type",
  "import",
  "function",
  "table",
  "memory",
  "global",
  "export",
  "start",
  "element",
  "code",
  "data",
  "data count",
  "tag",
];
