// Checks of objects and arrays and of their members, one closure per node; page, worker and Node.

import type { CheckState, ValueCheck } from "./check-state.ts";
import { indexOfRepeat, type Json, type JsonObject } from "./json-value.ts";
import { isQuick, quickType, type QuickType } from "./leaf-checks.ts";
import type { ArrayRules, ObjectRules, SchemaNode } from "./schema-node.ts";

/** The check of a value that has been found to be an object; takes no step itself. */
export type ObjectCheck = (object: JsonObject, state: CheckState) => boolean;
/** The check of a value that has been found to be an array; takes no step itself. */
export type ArrayCheck = (array: Json[], state: CheckState) => boolean;

/** What an object's loop needs of one member. */
interface Member {
  readonly name: string;
  readonly required: 0 | 1;
  readonly quick: QuickType;
  /** Undefined where the object takes no such member. */
  readonly check: ValueCheck | undefined;
}

const welcomeAny: ValueCheck = () => true;

/** The object rules of a node. The nodes of its members have their checks already. */
export function objectCheck(node: SchemaNode, rules: ObjectRules): ObjectCheck {
  const { ordered, requiredCount, counted } = rules;
  const members = ordered.map((rule) =>
    memberOf(rule.name, rule.required, rule.node ?? rules.additional),
  );
  const byName = new Map(members.map((member) => [member.name, member]));
  const others = memberOf("", 0, rules.additional);
  return (given, state) => {
    const object = state.inheritsKeys ? ownCopy(given) : given;
    if (counted && !fitsCount(rules, object)) return state.fail("propertyCount", node, object);
    let seen = 0;
    let next = 0;
    // Engines make a for-in loop over an object's own shape fast, and the keys most often come in the schema's order.
    for (const key in object) {
      const value = object[key] as Json;
      let member = next < members.length ? members[next++] : undefined;
      if (member === undefined || member.name !== key) member = byName.get(key) ?? others;
      seen += member.required;
      if (isQuick(member.quick, value)) {
        state.steps++;
        continue;
      }
      const { check } = member;
      if (check === undefined) return state.fail("additionalProperties", node, object, key);
      if (!check(value, state)) return state.under(key);
    }
    return seen === requiredCount || missing(node, rules, object, state);
  };
}

/** The object rules of a node that only wants each member to fit one node: a map. */
export function mapCheck(member: SchemaNode): ObjectCheck {
  const { check } = member;
  const quick = quickType(member);
  return (given, state) => {
    const object = state.inheritsKeys ? ownCopy(given) : given;
    for (const key in object) {
      const value = object[key] as Json;
      if (isQuick(quick, value)) state.steps++;
      else if (!check(value, state)) return state.under(key);
    }
    return true;
  };
}

function memberOf(name: string, required: 0 | 1, node: ObjectRules["additional"]): Member {
  const check = typeof node === "object" ? node.check : node === "open" ? welcomeAny : undefined;
  return { name, required, quick: quickType(node), check };
}

/** The object without what a page put on Object.prototype, which a for-in loop would show too. */
function ownCopy(object: JsonObject): JsonObject {
  return Object.assign(Object.create(null) as JsonObject, object);
}

function fitsCount(rules: ObjectRules, object: JsonObject): boolean {
  const count = Object.keys(object).length;
  return count >= rules.minProperties && count <= rules.maxProperties;
}

function missing(
  node: SchemaNode,
  rules: ObjectRules,
  object: JsonObject,
  state: CheckState,
): boolean {
  const rule = rules.ordered.find((one) => one.required === 1 && !Object.hasOwn(object, one.name));
  return rule === undefined || state.fail("required", node, object, rule.name);
}

/** The array rules of a node. The nodes of its items have their checks already. */
export function arrayCheck(node: SchemaNode, rules: ArrayRules): ArrayCheck {
  const { minItems, maxItems, unique } = rules;
  const prefix = rules.prefix.map((item) => item.check);
  const items = rules.items?.check;
  const quick = quickType(rules.items);
  return (array, state) => {
    const { length } = array;
    if (length < minItems || length > maxItems) return state.fail("itemCount", node, array);
    const first = Math.min(prefix.length, length);
    for (let i = 0; i < first; i++) {
      const check = prefix[i] as ValueCheck;
      if (!check(array[i] as Json, state)) return state.under(i);
    }
    if (items !== undefined) {
      for (let i = first; i < length; i++) {
        if (isQuick(quick, array[i] as Json)) state.steps++;
        else if (!items(array[i] as Json, state)) return state.under(i);
      }
    }
    const repeat = unique ? indexOfRepeat(array) : -1;
    return repeat === -1 || state.fail("uniqueItems", node, array, repeat);
  };
}
