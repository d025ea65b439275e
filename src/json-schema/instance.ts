// A value as validators may look at it: JSON alone, without inherited names; page, worker and Node.

import type { Budget } from "./budget.ts";
import { set } from "./schema-parts.ts";

/** Levels of a value. */
const MOST_LEVELS = 512;

/** Why a value is no JSON. */
export class NoJson extends Error {
  override readonly name = "NoJson";
}

/**
 * A copy whose objects inherit nothing, so that no validator takes `toString` for a property. Bytes are judged as the
 * base64 text that they would be in JSON, integers beyond 2^53 as numbers.
 *
 * @throws NoJson
 */
export function instanceOf(value: unknown, budget: Budget): unknown {
  budget.reset();
  const copy = copyOf(value, budget, 0);
  budget.start();
  return copy;
}

function copyOf(value: unknown, budget: Budget, level: number): unknown {
  if (level > MOST_LEVELS)
    throw new NoJson(`the value is nested deeper than ${MOST_LEVELS} levels`);
  budget.part();
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "bigint":
      return Number(value);
    case "number":
      if (Number.isFinite(value)) return value;
      throw new NoJson(`the value holds ${value}, which is not JSON`);
    case "object":
      break;
    default:
      throw new NoJson(`the value holds a ${typeof value}, which is not JSON`);
  }
  if (value === null) return null;
  if (value instanceof Uint8Array) return base64(value);
  const before = budget.parts;
  if (Array.isArray(value)) {
    const items = value.map((item) => copyOf(item, budget, level + 1));
    return budget.container(items, items.length, before);
  }
  const copy = Object.create(null) as Record<string, unknown>;
  const entries = Object.entries(value);
  for (const [key, member] of entries) {
    if (member !== undefined) set(copy, key, copyOf(member, budget, level + 1));
  }
  return budget.container(copy, entries.length, before);
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(binary);
}
