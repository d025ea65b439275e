// The lines of the bench as a table for people; Node.

import type { BenchLine } from "./bench-line.ts";

const heads = ["", "median", "min", "unit", "floor", "ratio", "goal", "met", "beside"];

/** One row a line; numbers to the right. */
export function benchTable(lines: readonly BenchLine[]): string {
  const rows = lines.map((line) => [
    line.name,
    number(line.median),
    number(line.min),
    line.unit,
    number(line.floor),
    line.ratio.toFixed(2),
    line.goal.toFixed(2),
    line.met ? "yes" : "NO",
    line.peer,
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]!.length)),
  );
  const isNumber = (column: number): boolean => [1, 2, 4, 5, 6].includes(column);
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        isNumber(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join("  ")
      .trimEnd();
  return [row(heads), ...rows.map(row)].join("\n");
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
