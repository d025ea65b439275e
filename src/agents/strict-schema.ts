// Schemas for models that write by a schema ("strict"): closed objects, every key required, null for what may be left out; page and Node.

type Schema = Readonly<Record<string, unknown>>;

/** A schema that a model can be held to, and the way back. */
export interface StrictSchema {
  readonly schema: Record<string, unknown>;
  /** Arguments as the tool's own schema has them: a null that stood for "left out" goes. */
  restore(args: unknown): unknown;
}

/** Kept as they are. */
const KEPT = new Set([
  "type",
  "description",
  "enum",
  "const",
  "pattern",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
]);
/** Say nothing that a model could be held to, or what the registry checks afterwards. */
const DROPPED = new Set([
  "$schema",
  "$id",
  "$comment",
  "$anchor",
  "title",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "minLength",
  "maxLength",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "contentEncoding",
  "contentMediaType",
  "x-mcp-header",
]);
const FORMATS = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);
/** The limits of the API that asked for such schemas first. */
const MOST_LEVELS = 10;
const MOST_PROPERTIES = 5_000;
const MOST_CHOICES = 1_000;

class NotStrict extends Error {}

/** The strict form of a tool's schema; undefined where there is none, as for objects with keys of any name. */
export function strictSchema(given: Schema): StrictSchema | undefined {
  try {
    const writer = new Writer(given);
    const schema = writer.object(given, 0) as Record<string, unknown>;
    const defs = writer.definitions();
    const whole = defs === undefined ? schema : { ...schema, $defs: defs };
    return { schema: whole, restore: (args) => restore(args, [given], given, 0) };
  } catch (error) {
    if (error instanceof NotStrict) return undefined;
    throw error;
  }
}

class Writer {
  readonly #root: Schema;
  readonly #defs = new Map<string, unknown>();
  #properties = 0;
  #choices = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  definitions(): Record<string, unknown> | undefined {
    return this.#defs.size === 0 ? undefined : Object.fromEntries(this.#defs);
  }

  schema(given: unknown, level: number): unknown {
    if (!isSchema(given)) throw new NotStrict();
    if (typeof given["$ref"] === "string") return this.#reference(given["$ref"], given, level);
    if (given["type"] === "object" || given["properties"] !== undefined)
      return this.object(given, level);
    const written: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(given)) {
      if (KEPT.has(key)) written[key] = value;
      else if (key === "format") {
        if (FORMATS.has(value as string)) written[key] = value;
      } else if (key === "items") written[key] = this.schema(value, level + 1);
      else if (key === "anyOf" && Array.isArray(value)) {
        written[key] = value.map((one) => this.schema(one, level));
      } else if (!DROPPED.has(key) && key !== "$defs" && key !== "definitions")
        throw new NotStrict();
    }
    if (Array.isArray(written["enum"])) this.#count(0, written["enum"].length);
    const { type } = written;
    const array = type === "array" || (Array.isArray(type) && type.includes("array"));
    const objects = Array.isArray(type) && type.includes("object");
    const says = ["type", "enum", "const", "anyOf"].some((key) => key in written);
    if ((array && written["items"] === undefined) || objects || !says) throw new NotStrict();
    return written;
  }

  object(given: Schema, level: number): unknown {
    if (level > MOST_LEVELS) throw new NotStrict();
    const {
      type,
      properties = {},
      required = [],
      additionalProperties = false,
      description,
      ...rest
    } = given;
    if (type !== undefined && type !== "object") throw new NotStrict();
    if (additionalProperties !== false || !isSchema(properties)) throw new NotStrict();
    for (const key of Object.keys(rest)) {
      if (!DROPPED.has(key) && key !== "$defs" && key !== "definitions") throw new NotStrict();
    }
    const names = Object.keys(properties);
    // An object whose keys are not named could hold anything.
    if (names.length === 0 && level > 0 && given["additionalProperties"] !== false)
      throw new NotStrict();
    this.#count(names.length, 0);
    const needed = new Set(required as readonly string[]);
    const written = names.map((name) => {
      const schema = this.schema(properties[name], level + 1);
      return [name, needed.has(name) ? schema : orNull(schema)] as const;
    });
    return {
      type: "object",
      ...(typeof description === "string" ? { description } : {}),
      properties: Object.fromEntries(written),
      required: names,
      additionalProperties: false,
    };
  }

  #reference(target: string, given: Schema, level: number): unknown {
    const match = /^#\/(\$defs|definitions)\/([A-Za-z0-9_.-]+)$/.exec(target);
    const definition = resolve(this.#root, target);
    if (match === null || definition === undefined) throw new NotStrict();
    const name = match[2] as string;
    if (!this.#defs.has(name)) {
      this.#defs.set(name, {});
      this.#defs.set(name, this.schema(definition, Math.min(level, 1)));
    }
    const { description } = given;
    const reference = { $ref: `#/$defs/${name}` };
    return typeof description === "string" ? { anyOf: [reference], description } : reference;
  }

  #count(properties: number, choices: number): void {
    this.#properties += properties;
    this.#choices += choices;
    if (this.#properties > MOST_PROPERTIES || this.#choices > MOST_CHOICES) throw new NotStrict();
  }
}

/** A schema that takes null too. */
function orNull(written: unknown): unknown {
  const schema = written as Record<string, unknown>;
  const { type } = schema;
  if (Array.isArray(schema["enum"])) {
    const values = schema["enum"] as readonly unknown[];
    if (values.includes(null)) return schema;
    const types = type === undefined ? {} : { type: [...[type].flat(), "null"] };
    return { ...schema, ...types, enum: [...values, null] };
  }
  if (typeof type === "string" && type !== "object" && schema["const"] === undefined) {
    return type === "null" ? schema : { ...schema, type: [type, "null"] };
  }
  if (Array.isArray(type))
    return type.includes("null") ? schema : { ...schema, type: [...(type as unknown[]), "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

/** Levels of arguments that are looked at; deeper ones are left as they are. */
const MOST_RESTORED = 64;

function restore(value: unknown, schemas: readonly Schema[], root: Schema, level: number): unknown {
  if (level > MOST_RESTORED || typeof value !== "object" || value === null) return value;
  const known = schemas.flatMap((one) => alternatives(one, root));
  if (Array.isArray(value)) {
    const items = known.flatMap(({ items: one }) => (isSchema(one) ? [one] : []));
    return value.map((item) => restore(item, items, root, level + 1));
  }
  const kept = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const named = known.filter(
      ({ properties }) => isSchema(properties) && Object.hasOwn(properties, key),
    );
    const own = named.map(({ properties }) => (properties as Schema)[key]).filter(isSchema);
    const mayLack = named.some(
      ({ required }) => !(Array.isArray(required) && required.includes(key)),
    );
    const mayBeNull = own.some((one) => alternatives(one, root).some(takesNull));
    if (member === null && mayLack && !mayBeNull) return [];
    return [[key, restore(member, own, root, level + 1)]];
  });
  return Object.fromEntries(kept);
}

/** A schema and those that it leads to for the same value. */
function alternatives(schema: Schema, root: Schema, level = 0): Schema[] {
  if (level > MOST_LEVELS) return [];
  const { $ref, anyOf } = schema;
  const target = typeof $ref === "string" ? resolve(root, $ref) : undefined;
  const next = [
    ...(target === undefined ? [] : [target]),
    ...(Array.isArray(anyOf) ? (anyOf as unknown[]).filter(isSchema) : []),
  ];
  return [schema, ...next.flatMap((one) => alternatives(one, root, level + 1))];
}

function takesNull({ type, enum: values, const: only, ...rest }: Schema): boolean {
  if (values !== undefined) return Array.isArray(values) && values.includes(null);
  if ("const" in rest || only !== undefined) return only === null;
  return [type].flat().includes("null");
}

function resolve(root: Schema, target: string): Schema | undefined {
  const match = /^#\/(\$defs|definitions)\/([A-Za-z0-9_.-]+)$/.exec(target);
  if (match === null) return undefined;
  const holder = root[match[1] as string];
  if (!isSchema(holder) || !Object.hasOwn(holder, match[2] as string)) return undefined;
  const found = holder[match[2] as string];
  return isSchema(found) ? found : undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
