// Bounds what one value may cost: references followed, circles found; page, worker and Node.

import { bad, DATA, escape, isObject } from "./schema-parts.ts";

/** Subschemas that one value may be held against, references followed. */
const MOST_STEPS = 10_000;
/** Keywords that hold the same value against further schemas. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/** How many subschemas one value is held against; a reference that leads back without descending never ends. */
export class StepCounter {
  readonly #find: (target: string) => unknown;
  readonly #known = new Map<object, number>();
  readonly #open = new Set<object>();

  constructor(find: (target: string) => unknown) {
    this.#find = find;
  }

  /** Every subschema is a start of its own. */
  count(value: unknown, path: string): void {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) this.#steps(value as Record<string, unknown>, path);
    for (const [key, member] of Object.entries(value)) {
      if (!DATA.has(key)) this.count(member, `${path}/${escape(key)}`);
    }
  }

  #steps(schema: Record<string, unknown>, path: string): number {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (this.#open.has(schema))
      throw bad(path, "refers to itself without descending into the value");
    this.#open.add(schema);
    let steps = 1;
    const { $ref } = schema;
    const next: unknown[] = IN_PLACE.flatMap((key) => (schema[key] ?? []) as unknown[]);
    if (typeof $ref === "string") next.push(this.#find($ref));
    for (const one of next) {
      if (isObject(one)) steps += this.#steps(one, path);
      if (steps > MOST_STEPS) throw bad(path, "would take too long to check");
    }
    this.#open.delete(schema);
    this.#known.set(schema, steps);
    return steps;
  }
}
