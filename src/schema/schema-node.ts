// A compiled schema: one node per schema object, all keywords resolved to fields of one shape; page, worker and Node.

import type { ValueCheck } from "./check-state.ts";
import type { ValueSet } from "./json-value.ts";

/** A property that a node names in `properties` or `required`. */
export interface PropertyRule {
  readonly name: string;
  /** Undefined when the name is only in `required`; then the rule for additional properties applies. */
  readonly node: SchemaNode | undefined;
  /** 1 or 0, so that the required ones are counted by adding. */
  readonly required: 0 | 1;
}

/** Bounds of a number; an infinite one is none. A bigint bound is exact. */
export interface NumberRules {
  readonly minimum: number | bigint;
  readonly maximum: number | bigint;
  readonly exclusiveMinimum: number | bigint;
  readonly exclusiveMaximum: number | bigint;
  readonly multipleOf: number | bigint | undefined;
}

/** Rules for an object. `additional` is "open" for any value, "closed" for none, or the node each must fit. */
export interface ObjectRules {
  readonly properties: ReadonlyMap<string, PropertyRule>;
  /** The same in the schema's order, which is most often the order of the keys that come. */
  readonly ordered: readonly PropertyRule[];
  readonly requiredCount: number;
  readonly additional: SchemaNode | "open" | "closed";
  /** minProperties or maxProperties is given. */
  readonly counted: boolean;
  readonly minProperties: number;
  readonly maxProperties: number;
}

/** Rules for an array. `items` is for what `prefixItems` does not cover. */
export interface ArrayRules {
  readonly prefix: readonly SchemaNode[];
  readonly items: SchemaNode | undefined;
  readonly minItems: number;
  readonly maxItems: number;
  readonly unique: boolean;
}

/** Rules for a string, lengths in code points. `base64` makes bytes welcome and wants text to be strict base64. */
export interface StringRules {
  readonly minLength: number;
  readonly maxLength: number;
  readonly base64: boolean;
}

/** Rules of one kind only, or any mixture. */
export type Shape = "type" | "string" | "number" | "object" | "array" | "mixed";

/**
 * One schema object or boolean schema. Every field is always set, so that all nodes have one shape; they are filled in
 * after creation, because references can lead back to a node that is still being compiled.
 */
export interface SchemaNode {
  /** Where it is in the schema document, as a JSON pointer; empty for the root. */
  readonly path: string;
  /** The type bits it accepts; 0 accepts nothing. */
  accepts: number;
  /** What there is to check besides the type, so that the common cases take one comparison. */
  shape: Shape;
  values: ValueSet | undefined;
  constant: ValueSet | undefined;
  string: StringRules | undefined;
  number: NumberRules | undefined;
  object: ObjectRules | undefined;
  array: ArrayRules | undefined;
  reference: SchemaNode | undefined;
  anyOf: readonly SchemaNode[] | undefined;
  oneOf: readonly SchemaNode[] | undefined;
  /** Checks a value against this node, one step and those of the nodes below it. */
  check: ValueCheck;
}

/** The nodes that a node checks the same value against: its $ref, anyOf and oneOf. */
export function sameValueNodes(node: SchemaNode): SchemaNode[] {
  return [
    ...(node.reference === undefined ? [] : [node.reference]),
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
  ];
}

/** What stands in a node before its check is built: a page that only makes tools need not have the code of checks. */
export const unbuilt: ValueCheck = () => false;
