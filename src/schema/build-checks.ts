// Gives each compiled node its check: one closure, as small as the node's rules allow; page, worker and Node.

import { SCHEMA_STEPS } from "../limits.ts";
import type { CheckState, ValueCheck } from "./check-state.ts";
import { anyOfCheck, oneOfCheck } from "./choice-checks.ts";
import {
  arrayCheck,
  type ArrayCheck,
  mapCheck,
  objectCheck,
  type ObjectCheck,
} from "./container-checks.ts";
import {
  ARRAY,
  FRACTIONAL,
  INTEGER,
  type Json,
  type JsonObject,
  OBJECT,
  STRING,
  typeBit,
  type WholeFloat,
} from "./json-value.ts";
import {
  checkText,
  isNumeric,
  isTextual,
  numberCheck,
  textCheck,
  typeCheck,
} from "./leaf-checks.ts";
import { fitsNumber } from "./measures.ts";
import { type SchemaNode, unbuilt } from "./schema-node.ts";

/**
 * Builds the checks of all nodes. Children come before their parents, so that a parent holds their closures; only a
 * reference, which may lead back, looks its target up at each check.
 */
export function buildChecks(nodes: Iterable<SchemaNode>): void {
  for (const node of nodes) build(node);
}

function build(node: SchemaNode): void {
  if (node.check !== unbuilt) return;
  for (const child of children(node)) build(child);
  node.check = checkOf(node);
}

function children(node: SchemaNode): SchemaNode[] {
  const { object, array, anyOf, oneOf } = node;
  const members = object?.ordered.map((rule) => rule.node) ?? [];
  const all = [...members, object?.additional, ...(array?.prefix ?? []), array?.items];
  return [...all, ...(anyOf ?? []), ...(oneOf ?? [])].filter((child) => typeof child === "object");
}

function checkOf(node: SchemaNode): ValueCheck {
  const { accepts, string, number } = node;
  switch (node.shape) {
    case "type":
      return typeCheck(node);
    case "string":
      if (accepts === STRING && string !== undefined) return textCheck(node, string);
      break;
    case "number":
      if ((accepts === INTEGER || accepts === (INTEGER | FRACTIONAL)) && number !== undefined) {
        return numberCheck(node, number);
      }
      break;
    case "object":
      if (accepts === OBJECT) return objectOnly(node);
      break;
    case "array":
      if (accepts === ARRAY) return arrayOnly(node);
      break;
    case "mixed":
      break;
  }
  return mixedCheck(node);
}

function objectOnly(node: SchemaNode): ValueCheck {
  const inner = objectRulesOf(node);
  return (value, state) => {
    if (++state.steps > SCHEMA_STEPS || !isObject(value, state)) {
      return state.fail("type", node, value);
    }
    return inner === undefined || inner(value, state);
  };
}

function arrayOnly(node: SchemaNode): ValueCheck {
  const inner = arrayRulesOf(node);
  return (value, state) => {
    if (++state.steps > SCHEMA_STEPS || !Array.isArray(value)) {
      return state.fail("type", node, value);
    }
    return inner === undefined || inner(value, state);
  };
}

/** Any rules together: the type, then values, then what belongs to the type, then the nodes on the same value. */
function mixedCheck(node: SchemaNode): ValueCheck {
  const { accepts, values, constant, anyOf, oneOf } = node;
  const ofType = typedRules(node);
  const any = anyOf === undefined ? undefined : anyOfCheck(node, anyOf);
  const one = oneOf === undefined ? undefined : oneOfCheck(node, oneOf);
  return (value, state) => {
    if (++state.steps > SCHEMA_STEPS) return false;
    const type = typeBit(value);
    if ((accepts & type) === 0) return state.fail("type", node, value);
    if (values !== undefined && !values.has(value)) return state.fail("enum", node, value);
    if (constant !== undefined && !constant.has(value)) return state.fail("const", node, value);
    if (ofType !== undefined && !ofType(value, type, state)) return false;
    if (node.reference !== undefined && !node.reference.check(value, state)) return false;
    if (any !== undefined && !any(value, state)) return false;
    return one === undefined || one(value, state);
  };
}

function typedRules(
  node: SchemaNode,
): ((value: Json, type: number, state: CheckState) => boolean) | undefined {
  const { string, number } = node;
  const object = objectRulesOf(node);
  const array = arrayRulesOf(node);
  if ([string, number, object, array].every((rules) => rules === undefined)) return undefined;
  return (value, type, state) => {
    if (type === OBJECT) return object === undefined || object(value as JsonObject, state);
    if (type === ARRAY) return array === undefined || array(value as Json[], state);
    if (isTextual(type)) {
      return string === undefined || checkText(node, string, value as string | Uint8Array, state);
    }
    if (!isNumeric(type) || number === undefined) return true;
    return (
      fitsNumber(number, value as number | bigint | WholeFloat) || state.fail("number", node, value)
    );
  };
}

function objectRulesOf(node: SchemaNode): ObjectCheck | undefined {
  const rules = node.object;
  if (rules === undefined) return undefined;
  const isMap = rules.ordered.length === 0 && !rules.counted;
  return isMap && typeof rules.additional === "object"
    ? mapCheck(rules.additional)
    : objectCheck(node, rules);
}

function arrayRulesOf(node: SchemaNode): ArrayCheck | undefined {
  return node.array === undefined ? undefined : arrayCheck(node, node.array);
}

function isObject(value: Json, state: CheckState): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return state.plain || typeBit(value) === OBJECT;
}
