// The running state of one check: the budget of steps, and where the value failed; page, worker and Node.

import { SCHEMA_STEPS } from "../limits.ts";
import type { Json } from "./json-value.ts";
import type { SchemaNode } from "./schema-node.ts";

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
  /** The property that is missing or unknown; the number of a repeated item, or of alternatives that fit. */
  readonly name: string | number | undefined;
  /** Keys and indices from the inside out. */
  readonly path: (string | number)[];
}

/** Whether a value fits a node; if not, the state's `failure` says why. */
export type ValueCheck = (value: Json, state: CheckState) => boolean;

const NOTHING = {};

function hasKeys(object: object): boolean {
  for (const _key in object) return true;
  return false;
}

/** One check of one value. */
export class CheckState {
  /** One for each schema node that a value was checked against. */
  steps = 0;
  failure: Failure | undefined = undefined;
  /** Bytes that some node welcomed, in the order met; kept only when the value holds bytes. */
  readonly welcome: Uint8Array[] | undefined;
  /** No bytes and no WholeFloat are about: what is no array is an object. */
  readonly plain: boolean;
  /** A page put enumerable properties on Object.prototype, so a for-in loop shows more than an object's own keys. */
  readonly inheritsKeys: boolean;

  /**
   * @param bytes How many byte values the value holds.
   * @param wholeFloats Whether it may hold a WholeFloat.
   */
  constructor(bytes: number, wholeFloats: boolean) {
    this.welcome = bytes > 0 ? [] : undefined;
    this.plain = bytes === 0 && !wholeFloats;
    this.inheritsKeys = hasKeys(NOTHING);
  }

  /** The budget of steps is used up. */
  get tooComplex(): boolean {
    return this.steps > SCHEMA_STEPS;
  }

  /** Remembers a failure; always false, so that a check can return it. */
  fail(broken: Broken, node: SchemaNode, value: Json, name?: string | number): false {
    this.failure = { broken, node, value, name, path: [] };
    return false;
  }

  /** A member failed: its place becomes part of the path. */
  under(key: string | number): false {
    this.failure?.path.push(key);
    return false;
  }
}
