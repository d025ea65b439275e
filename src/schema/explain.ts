// Says in one line what is wrong with a value, so that a program or a model can correct itself; page, worker and Node.

import { ECHO_CHARACTERS } from "../limits.ts";
import type { Failure } from "./check-state.ts";
import {
  ANY,
  ARRAY,
  BOOLEAN,
  BYTES,
  FRACTIONAL,
  INTEGER,
  type Json,
  jsonText,
  NULL,
  OBJECT,
  STRING,
  typeBit,
  type ValueSet,
} from "./json-value.ts";
import type { NumberRules, SchemaNode } from "./schema-node.ts";
import { cut } from "./characters.ts";

/** How many of a schema's names or values a message lists. */
const LISTED = 20;

/**
 * The message for a failure: the path, what was expected, what came. Text of the guest is cut to 64 characters a piece.
 *
 * @example
 * explain(failure);    // 'items[2].code: expected a string, got the integer 5'
 */
export function explain(failure: Failure): string {
  const path = failure.path.toReversed();
  // A missing or unknown property is what the message is about, so the path leads to it.
  if (typeof failure.name === "string") path.push(failure.name);
  return `${showPath(path)}: ${reason(failure)}`;
}

/** A path of keys and indices as `a.b[3]`. */
export function showPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "the arguments";
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (!/^[A-Za-z_]\w*$/.test(part)) text += `[${quoted(part)}]`;
    else text += `${text === "" ? "" : "."}${cut(part, ECHO_CHARACTERS)}`;
  }
  return text;
}

function reason({ broken, node, value, name }: Failure): string {
  switch (broken) {
    case "type":
      return `expected ${showTypes(node.accepts)}, got ${showValue(value)}`;
    case "enum":
      return `expected one of ${showValues(node.values)}, got ${showValue(value)}`;
    case "const":
      return `expected ${showValues(node.constant)}, got ${showValue(value)}`;
    case "number":
      return `expected a number ${showBounds(node.number)}, got ${showValue(value)}`;
    case "length":
      return `expected ${range("character", node.string?.minLength, node.string?.maxLength)}, got ${showLength(value)}`;
    case "contentEncoding":
      return `expected bytes or base64 text, got ${showValue(value)}`;
    case "required":
      return `required${showWanted(node, String(name))}`;
    case "additionalProperties":
      return `no such property${showKnown(node)}`;
    case "propertyCount":
      return `expected ${range("property", node.object?.minProperties, node.object?.maxProperties)}, got ${Object.keys(value as object).length}`;
    case "itemCount":
      return `expected ${range("item", node.array?.minItems, node.array?.maxItems)}, got ${(value as Json[]).length}`;
    case "uniqueItems":
      return `the items must differ, but item ${name} repeats an earlier one`;
    case "anyOf":
      return `expected ${showAlternatives(node.anyOf)}, got ${showValue(value)}`;
    default:
      // oneOf, with the number of alternatives that fit.
      if (name !== 0) return `fits ${name} alternatives where it must fit exactly one`;
      return `expected ${showAlternatives(node.oneOf)}, got ${showValue(value)}`;
  }
}

function quoted(text: string): string {
  return JSON.stringify(cut(text, ECHO_CHARACTERS));
}

const TYPE_NAMES: readonly (readonly [number, string])[] = [
  [INTEGER | FRACTIONAL, "a number"],
  [INTEGER, "an integer"],
  [FRACTIONAL, "a number with a fraction"],
  [STRING | BYTES, "bytes"],
  [STRING, "a string"],
  [BYTES, "bytes"],
  [BOOLEAN, "a boolean"],
  [ARRAY, "an array"],
  [OBJECT, "an object"],
  [NULL, "null"],
];

function showTypes(accepts: number): string {
  if (accepts === 0) return "nothing here";
  if (accepts === ANY) return "any value";
  let left = accepts;
  const names: string[] = [];
  for (const [bits, name] of TYPE_NAMES) {
    if ((left & bits) !== bits) continue;
    names.push(name);
    left &= ~bits;
  }
  return names.join(" or ");
}

function showValue(value: Json): string {
  switch (typeBit(value)) {
    case STRING:
      return quoted(value as string);
    case INTEGER:
      return `the integer ${cut((value as number | bigint).toString(), ECHO_CHARACTERS)}`;
    case FRACTIONAL:
      return `the number ${jsonText(value)}`;
    case BOOLEAN:
    case NULL:
      return JSON.stringify(value);
    case ARRAY:
      return "an array";
    case BYTES:
      return "bytes";
    default:
      return "an object";
  }
}

function showValues(set: ValueSet | undefined): string {
  const values = set?.values ?? [];
  const shown = values.slice(0, LISTED).map((value) => cut(jsonText(value), ECHO_CHARACTERS));
  return shown.join(", ") + (values.length > LISTED ? ", …" : "");
}

function showKnown(node: SchemaNode): string {
  const rules = [...(node.object?.properties ?? [])].filter(([, rule]) => rule.node !== undefined);
  if (rules.length === 0) return "; none are known";
  const names = rules.slice(0, LISTED).map(([name]) => cut(name, ECHO_CHARACTERS));
  return `; known: ${names.join(", ")}${rules.length > LISTED ? ", …" : ""}`;
}

function showWanted(node: SchemaNode, name: string): string {
  const wanted = node.object?.properties.get(name)?.node;
  return wanted === undefined || wanted.accepts === ANY
    ? ""
    : `, expected ${showTypes(wanted.accepts)}`;
}

function showBounds(rules: NumberRules | undefined): string {
  const parts: string[] = [];
  const say = (words: string, bound: number | bigint | undefined) => {
    if (bound !== undefined && bound !== Infinity && bound !== -Infinity)
      parts.push(`${words} ${bound}`);
  };
  say("of at least", rules?.minimum);
  say("of at most", rules?.maximum);
  say("above", rules?.exclusiveMinimum);
  say("below", rules?.exclusiveMaximum);
  say("that is a multiple of", rules?.multipleOf);
  return parts.join(" and ");
}

function range(unit: string, least = 0, most = Infinity): string {
  const units = unit === "property" ? "properties" : `${unit}s`;
  if (most === Infinity) return `at least ${least} ${least === 1 ? unit : units}`;
  if (least === most) return `${least} ${least === 1 ? unit : units}`;
  return least === 0
    ? `at most ${most} ${most === 1 ? unit : units}`
    : `${least} to ${most} ${units}`;
}

function showLength(value: Json): string {
  return typeof value === "string" ? quoted(value) : "bytes";
}

/** Alternatives in few words: their types where that says it all, else their number. */
function showAlternatives(nodes: readonly SchemaNode[] = []): string {
  const simple = nodes.every((node) => node.shape === "type" && node.accepts !== ANY);
  if (simple) return showTypes(nodes.reduce((bits, node) => bits | node.accepts, 0));
  const words = nodes.slice(0, LISTED).map((node) => {
    if (node.values !== undefined) return `one of ${showValues(node.values)}`;
    if (node.constant !== undefined) return showValues(node.constant);
    if (node.accepts !== ANY) return showTypes(node.accepts);
    return node.reference === undefined
      ? "a value that fits"
      : `what ${node.reference.path} describes`;
  });
  return [...new Set(words)].join(" or ");
}
