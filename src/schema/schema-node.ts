// A compiled schema: one node per schema object, all keywords resolved to fields of one shape; page, worker and Node.

import type { ValueSet } from "./json-value.ts";

/** A property that a node names in `properties` or `required`. */
export interface PropertyRule {
  /** Undefined when the name is only in `required`; then the rule for additional properties applies. */
  readonly node: SchemaNode | undefined;
  readonly required: boolean;
}

/** Bounds of a number; NaN and undefined mean no bound. A bigint bound is exact. */
export interface NumberRules {
  readonly minimum: number | bigint | undefined;
  readonly maximum: number | bigint | undefined;
  readonly exclusiveMinimum: number | bigint | undefined;
  readonly exclusiveMaximum: number | bigint | undefined;
  readonly multipleOf: number | bigint | undefined;
}

/** Rules for an object. `additional` is "open" for any value, "closed" for none, or the node each must fit. */
export interface ObjectRules {
  readonly properties: ReadonlyMap<string, PropertyRule>;
  readonly requiredCount: number;
  readonly additional: SchemaNode | "open" | "closed";
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

/**
 * One schema object or boolean schema. Every field is always set, so that all nodes have one shape; they are filled in
 * after creation, because references can lead back to a node that is still being compiled.
 */
export interface SchemaNode {
  /** Where it is in the schema document, as a JSON pointer; empty for the root. */
  readonly path: string;
  /** The type bits it accepts; 0 accepts nothing. */
  accepts: number;
  /** Nothing to check but the type. */
  typeOnly: boolean;
  values: ValueSet | undefined;
  constant: ValueSet | undefined;
  string: StringRules | undefined;
  number: NumberRules | undefined;
  object: ObjectRules | undefined;
  array: ArrayRules | undefined;
  reference: SchemaNode | undefined;
  anyOf: readonly SchemaNode[] | undefined;
  oneOf: readonly SchemaNode[] | undefined;
}

/** The nodes that a node checks the same value against: its $ref, anyOf and oneOf. */
export function sameValueNodes(node: SchemaNode): SchemaNode[] {
  return [
    ...(node.reference === undefined ? [] : [node.reference]),
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
  ];
}
