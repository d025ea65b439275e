// Whether a worker can be told of a run that it is like the last one: what crosses is then only what differs; page and Node.

import type { PreopenSpec } from "../files/preopens.ts";
import type { RunInit } from "../wire/messages.ts";

/** A run whose like is told in few words. Neither its stdin nor its time counts, and no files are held by it. */
export type PlainRun = Omit<RunInit<PreopenSpec>, "stdin" | "timeoutMs">;

/** What is to be remembered of a run; nothing where another cannot be told to be the same without a longer look. */
export function plainRun(init: RunInit<PreopenSpec>): PlainRun | undefined {
  const { stdin: _, timeoutMs: _ms, importedMemory, deterministic, ...plain } = init;
  if (importedMemory || deterministic) return undefined;
  // Bytes of files may be changed in place.
  const empty = plain.preopens.every(
    ({ source }) =>
      source.kind === "image" || (source.kind === "memory" && source.entries.length === 0),
  );
  return empty ? plain : undefined;
}

/** Whether two runs are the same. */
export function isSameRun(one: PlainRun, other: PlainRun): boolean {
  return (
    one.entry === other.entry &&
    one.door === other.door &&
    one.http === other.http &&
    one.abi1 === other.abi1 &&
    isSame(one.args, other.args) &&
    isSame(one.tty, other.tty) &&
    isSameRecord(one.env, other.env) &&
    isSameRecord(one.quotas, other.quotas) &&
    one.preopens.length === other.preopens.length &&
    one.preopens.every((preopen, index) => isSamePreopen(preopen, other.preopens[index]!))
  );
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

function isSameRecord<T extends object>(one: T, other: T): boolean {
  const names = Object.keys(one) as (keyof T)[];
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}

function isSamePreopen(one: PreopenSpec, other: PreopenSpec): boolean {
  const [first, second] = [one.source, other.source];
  if (one.path !== other.path || first.kind !== second.kind) return false;
  if (first.kind !== "image" || second.kind !== "image") return true; // both empty
  return first.image.id === second.image.id && first.copyOnWrite === second.copyOnWrite;
}
