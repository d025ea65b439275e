// Checks a value against compiled nodes under the budget of steps, and remembers where it first failed; page, worker and Node.

import { SCHEMA_STEPS } from "../limits.ts";
import { isStrictBase64 } from "./base64.ts";
import {
  ARRAY,
  BYTES,
  FRACTIONAL,
  indexOfRepeat,
  INTEGER,
  type Json,
  type JsonObject,
  OBJECT,
  STRING,
  typeBit,
  type WholeFloat,
} from "./json-value.ts";
import { fitsLengths, fitsNumber } from "./measures.ts";
import type { ArrayRules, ObjectRules, SchemaNode } from "./schema-node.ts";

/** What a value broke. The names are those of keywords where there is one. */
export type Broken =
  | "type"
  | "enum"
  | "const"
  | "length"
  | "contentEncoding"
  | "number"
  | "required"
  | "additionalProperties"
  | "propertyCount"
  | "itemCount"
  | "uniqueItems"
  | "anyOf"
  | "oneOf";

/** Where and why a value does not fit. */
export interface Failure {
  readonly broken: Broken;
  readonly node: SchemaNode;
  readonly value: Json;
  /** The property that is missing or not known; the number of a repeated item, or of alternatives that fit. */
  readonly name: string | number | undefined;
  /** Keys and indices from the inside out. */
  readonly path: (string | number)[];
}

/** The running state of one check. */
export class Check {
  steps = 0;
  failure: Failure | undefined;
  /** Bytes that some node welcomed, in the order met; used only when the value holds bytes. */
  readonly welcome: Uint8Array[] = [];
  readonly #hasBytes: boolean;

  constructor(hasBytes: boolean) {
    this.#hasBytes = hasBytes;
  }

  /** The budget of steps is used up. */
  get tooComplex(): boolean {
    return this.steps > SCHEMA_STEPS;
  }

  /** Whether the value fits the node; if not, `failure` says why. One step per node that a value is checked against. */
  value(node: SchemaNode, value: Json): boolean {
    if (++this.steps > SCHEMA_STEPS) return false;
    const type = typeBit(value);
    if ((node.accepts & type) === 0) return this.#fail("type", node, value);
    if (node.typeOnly) return true;
    if (node.values !== undefined && !node.values.has(value)) {
      return this.#fail("enum", node, value);
    }
    if (node.constant !== undefined && !node.constant.has(value)) {
      return this.#fail("const", node, value);
    }
    if (!this.#byType(node, value, type)) return false;
    if (node.reference !== undefined && !this.value(node.reference, value)) return false;
    if (node.anyOf !== undefined && !this.#anyOf(node, node.anyOf, value)) return false;
    return node.oneOf === undefined || this.#oneOf(node, node.oneOf, value);
  }

  #byType(node: SchemaNode, value: Json, type: number): boolean {
    switch (type) {
      case OBJECT:
        return node.object === undefined || this.#object(node, node.object, value as JsonObject);
      case ARRAY:
        return node.array === undefined || this.#array(node, node.array, value as Json[]);
      case STRING:
      case BYTES:
        return node.string === undefined || this.#string(node, value as string | Uint8Array);
      case INTEGER:
      case FRACTIONAL:
        if (node.number === undefined) return true;
        return (
          fitsNumber(node.number, value as number | bigint | WholeFloat) ||
          this.#fail("number", node, value)
        );
      default:
        return true;
    }
  }

  #fail(broken: Broken, node: SchemaNode, value: Json, name?: string | number): false {
    this.failure = { broken, node, value, name, path: [] };
    return false;
  }

  /** A child failed: its place becomes part of the path. */
  #under(key: string | number): false {
    this.failure?.path.push(key);
    return false;
  }

  #object(node: SchemaNode, rules: ObjectRules, object: JsonObject): boolean {
    const { properties, additional } = rules;
    const keys = Object.keys(object);
    if (keys.length < rules.minProperties || keys.length > rules.maxProperties) {
      return this.#fail("propertyCount", node, object);
    }
    let required = 0;
    for (const key of keys) {
      const rule = properties.get(key);
      if (rule?.required === true) required++;
      const child = rule?.node ?? additional;
      if (child === "closed") return this.#fail("additionalProperties", node, object, key);
      if (child !== "open" && !this.value(child, object[key] as Json)) return this.#under(key);
    }
    if (required === rules.requiredCount) return true;
    for (const [name, rule] of properties) {
      if (rule.required && !Object.hasOwn(object, name)) {
        return this.#fail("required", node, object, name);
      }
    }
    return true;
  }

  #array(node: SchemaNode, rules: ArrayRules, array: Json[]): boolean {
    if (array.length < rules.minItems || array.length > rules.maxItems) {
      return this.#fail("itemCount", node, array);
    }
    const { prefix, items } = rules;
    const checked = items === undefined ? Math.min(prefix.length, array.length) : array.length;
    for (let i = 0; i < checked; i++) {
      const child = i < prefix.length ? prefix[i] : items;
      if (!this.value(child as SchemaNode, array[i] as Json)) return this.#under(i);
    }
    const repeat = rules.unique ? indexOfRepeat(array) : -1;
    return repeat === -1 || this.#fail("uniqueItems", node, array, repeat);
  }

  #string(node: SchemaNode, value: string | Uint8Array): boolean {
    const rules = node.string;
    if (rules === undefined) return true;
    if (!fitsLengths(rules, value)) return this.#fail("length", node, value);
    if (typeof value !== "string") {
      if (rules.base64) this.welcome.push(value);
      return true;
    }
    return !rules.base64 || isStrictBase64(value) || this.#fail("contentEncoding", node, value);
  }

  #anyOf(node: SchemaNode, branches: readonly SchemaNode[], value: Json): boolean {
    let deepest: Failure | undefined;
    let fits = false;
    for (const branch of branches) {
      if (this.#branch(branch, value)) {
        fits = true;
        // With bytes about, a later alternative may be the one that welcomes them.
        if (!this.#hasBytes) return true;
      } else {
        deepest = deeper(deepest, this.failure);
      }
    }
    if (fits) return true;
    if (deepest !== undefined && deepest.path.length > 0) {
      this.failure = deepest;
      return false;
    }
    return this.#fail("anyOf", node, value);
  }

  #oneOf(node: SchemaNode, branches: readonly SchemaNode[], value: Json): boolean {
    let deepest: Failure | undefined;
    let fitting = 0;
    for (const branch of branches) {
      if (this.#branch(branch, value)) fitting++;
      else deepest = deeper(deepest, this.failure);
    }
    if (fitting === 1) return true;
    if (fitting === 0 && deepest !== undefined && deepest.path.length > 0) {
      this.failure = deepest;
      return false;
    }
    return this.#fail("oneOf", node, value, fitting);
  }

  /** Checks an alternative; what it welcomed is forgotten when it does not fit. */
  #branch(branch: SchemaNode, value: Json): boolean {
    const before = this.welcome.length;
    if (this.value(branch, value)) return true;
    this.welcome.length = before;
    return false;
  }
}

function deeper(a: Failure | undefined, b: Failure | undefined): Failure | undefined {
  return a === undefined || (b !== undefined && b.path.length > a.path.length) ? b : a;
}
