// Checks of values that hold no others: types, text and numbers, one closure per node; page, worker and Node.

import { SCHEMA_STEPS } from "../limits.ts";
import { isStrictBase64 } from "./base64.ts";
import type { CheckState, ValueCheck } from "./check-state.ts";
import {
  ANY,
  BOOLEAN,
  BYTES,
  FRACTIONAL,
  INTEGER,
  type Json,
  STRING,
  typeBit,
  WholeFloat,
} from "./json-value.ts";
import { fitsLengths, fitsNumber } from "./measures.ts";
import type { NumberRules, SchemaNode, StringRules } from "./schema-node.ts";

/** The types that a loop over members tests in place, since calling a check would be most of the cost. */
export type QuickType = 0 | 1 | 2 | 3 | 4;

/** The quick type of a node that has only a type; 0 where its check has to be called. */
export function quickType(node: SchemaNode | "open" | "closed" | undefined): QuickType {
  if (typeof node !== "object" || node.shape !== "type") return 0;
  if (node.accepts === STRING) return 1;
  if (node.accepts === INTEGER) return 2;
  if (node.accepts === (INTEGER | FRACTIONAL)) return 3;
  return node.accepts === BOOLEAN ? 4 : 0;
}

/**
 * Whether a value is of a quick type. One that is not still goes to the node's check, which has the last word. The
 * caller counts the step.
 */
export function isQuick(type: QuickType, value: Json): boolean {
  if (type === 0) return false;
  if (type === 1) return typeof value === "string";
  if (type === 2) return typeof value === "number" && Number.isInteger(value);
  if (type === 3) return typeof value === "number";
  return typeof value === "boolean";
}

/** The check of a node that has only a type: one step and one comparison. */
export function typeCheck(node: SchemaNode): ValueCheck {
  const { accepts } = node;
  switch (accepts) {
    case STRING:
      return (value, state) =>
        (++state.steps <= SCHEMA_STEPS && typeof value === "string") ||
        state.fail("type", node, value);
    case INTEGER:
      return (value, state) =>
        (++state.steps <= SCHEMA_STEPS && isInteger(value)) || state.fail("type", node, value);
    case INTEGER | FRACTIONAL:
      return (value, state) =>
        (++state.steps <= SCHEMA_STEPS && isNumber(value)) || state.fail("type", node, value);
    case BOOLEAN:
      return (value, state) =>
        (++state.steps <= SCHEMA_STEPS && typeof value === "boolean") ||
        state.fail("type", node, value);
    case ANY:
      return (value, state) => ++state.steps <= SCHEMA_STEPS || state.fail("type", node, value);
    default:
      return (value, state) =>
        (++state.steps <= SCHEMA_STEPS && (accepts & typeBit(value)) !== 0) ||
        state.fail("type", node, value);
  }
}

/** The check of a node of type string with lengths alone. */
export function textCheck(node: SchemaNode, rules: StringRules): ValueCheck {
  const { minLength, maxLength } = rules;
  return (value, state) => {
    if (++state.steps > SCHEMA_STEPS || typeof value !== "string") {
      return state.fail("type", node, value);
    }
    // A code point is one or two units, so most texts need no counting.
    if (value.length <= maxLength && value.length >= 2 * minLength) return true;
    return fitsLengths(rules, value) || state.fail("length", node, value);
  };
}

/** The check of a node of type integer or number with bounds. */
export function numberCheck(node: SchemaNode, rules: NumberRules): ValueCheck {
  const fractions = (node.accepts & FRACTIONAL) !== 0;
  const general: ValueCheck = (value, state) => {
    if (!(fractions ? isNumber(value) : isInteger(value))) return state.fail("type", node, value);
    return (
      fitsNumber(rules, value as number | bigint | WholeFloat) || state.fail("number", node, value)
    );
  };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules;
  const inclusive =
    exclusiveMinimum === -Infinity && exclusiveMaximum === Infinity && multipleOf === undefined;
  const low = inclusive && typeof minimum === "number" ? minimum : Number.NaN;
  const high = typeof maximum === "number" ? maximum : Number.NaN;
  return (value, state) => {
    if (++state.steps > SCHEMA_STEPS) return false;
    // Comparing with NaN is false, so that whatever is not simple goes the long way.
    if (typeof value === "number" && value >= low && value <= high) {
      if (fractions || Number.isInteger(value)) return true;
    }
    return general(value, state);
  };
}

/** The string rules of any node, without a step: the value has been found to be text or bytes. */
export function checkText(
  node: SchemaNode,
  rules: StringRules,
  value: string | Uint8Array,
  state: CheckState,
): boolean {
  if (!fitsLengths(rules, value)) return state.fail("length", node, value);
  if (!rules.base64) return true;
  if (typeof value === "string") {
    return isStrictBase64(value) || state.fail("contentEncoding", node, value);
  }
  state.welcome?.push(value);
  return true;
}

/** Whether a type bit is that of text or bytes. */
export function isTextual(type: number): boolean {
  return (type & (STRING | BYTES)) !== 0;
}

/** Whether a type bit is that of a number. */
export function isNumeric(type: number): boolean {
  return (type & (INTEGER | FRACTIONAL)) !== 0;
}

function isInteger(value: Json): value is number | bigint {
  return typeof value === "number" ? Number.isInteger(value) : typeof value === "bigint";
}

function isNumber(value: Json): value is number | bigint | WholeFloat {
  return typeof value === "number" || typeof value === "bigint" || value instanceof WholeFloat;
}
