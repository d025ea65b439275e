// Seeded random schemas of the subset, and values near what they want, for the test beside ajv; Node.

/** A generator of numbers from a seed (mulberry32): the same seed gives the same test on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Schema = Record<string, unknown>;

/** Makes schemas and values from one stream of random numbers. */
export class RandomSchemas {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** A schema document whose root may refer to two definitions, one of which descends into itself. */
  document(): Schema {
    return {
      ...this.schema(3),
      $defs: {
        leaf: this.schema(1),
        tree: {
          type: "object",
          properties: { value: this.schema(0), next: { $ref: "#/$defs/tree" } },
          additionalProperties: this.#pick([false, true]),
        },
      },
    };
  }

  /** A schema of at most `depth` levels. ajv and the subset mean the same by it. */
  schema(depth: number): Schema {
    const kinds = ["type", "string", "number", "values", "array", "object", "choice", "reference"];
    switch (this.#pick(depth > 0 ? kinds : kinds.slice(0, 4))) {
      case "string":
        return {
          type: "string",
          ...this.#some({ minLength: this.#int(3), maxLength: 1 + this.#int(4) }),
        };
      case "number":
        return {
          type: this.#pick(["integer", "number"]),
          ...this.#some({
            minimum: this.#int(9) - 4,
            maximum: this.#int(9) - 2,
            exclusiveMinimum: this.#int(9) - 5,
            exclusiveMaximum: this.#int(9),
            multipleOf: 1 + this.#int(3),
          }),
        };
      case "values":
        return this.#pick([
          { const: this.value(1) },
          { enum: [this.value(0), this.value(1), 1, "a"] },
        ]);
      case "array":
        return {
          type: this.#pick(["array", ["array", "null"]]),
          ...this.#some({
            items: this.schema(depth - 1),
            prefixItems: [this.schema(depth - 1), this.schema(depth - 1)],
            minItems: this.#int(3),
            maxItems: 1 + this.#int(3),
            uniqueItems: true,
          }),
        };
      case "object":
        return this.#object(depth);
      case "choice":
        return {
          [this.#pick(["anyOf", "oneOf"])]: [this.schema(depth - 1), this.schema(depth - 1)],
        };
      case "reference":
        return { $ref: this.#pick(["#/$defs/leaf", "#/$defs/tree"]) };
      default:
        return {
          type: this.#pick(["string", "integer", "number", "boolean", "null", "array", "object"]),
        };
    }
  }

  #object(depth: number): Schema {
    const names = ["a", "b", "constructor", "value"].filter(() => this.#random() < 0.6);
    return {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, this.schema(depth - 1)])),
      // Spelled out, since its absence is where the subset is stricter.
      additionalProperties: this.#pick([false, true, this.schema(depth - 1)]),
      ...this.#some({
        required: ["a"],
        minProperties: this.#int(3),
        maxProperties: 1 + this.#int(3),
      }),
    };
  }

  /** A JSON value without whole floats, on which the two would differ. */
  value(depth: number): unknown {
    const kind = this.#int(depth > 0 ? 8 : 6);
    if (kind === 0) return null;
    if (kind === 1) return this.#random() < 0.5;
    if (kind === 2) return this.#int(12) - 5;
    if (kind === 3) return this.#int(8) + 0.5;
    if (kind < 6) return this.#pick(["", "a", "ab", "abc", "\u{1f600}", "\u{1f600}b", "abcdef"]);
    const size = this.#int(4);
    if (kind === 6) return Array.from({ length: size }, () => this.value(depth - 1));
    const names = ["a", "b", "constructor", "value", "next", "other"];
    return Object.fromEntries(
      Array.from({ length: size }, () => [this.#pick(names), this.value(depth - 1)]),
    );
  }

  #some(rules: Schema): Schema {
    return Object.fromEntries(Object.entries(rules).filter(() => this.#random() < 0.35));
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#int(from.length)] as T;
  }
}
