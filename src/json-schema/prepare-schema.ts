// A schema made safe to compile: copied, bounded, its dialect known, its references inside it; page, worker and Node.

import { type Dialect, dialectOf, fromDraft4 } from "./dialect.ts";
import { NO_ADDRESS, pointerTo, type Reference, SchemaNames, valueAt } from "./schema-names.ts";
import { bad, DATA, escape, isObject, set } from "./schema-parts.ts";
import { StepCounter } from "./step-counter.ts";

/** Levels of a schema, and objects in it: enough for any tool, too few to keep a page busy. */
const MOST_LEVELS = 128;
const MOST_OBJECTS = 20_000;

/** Keywords whose value maps names to schemas. */
const MAPS = new Set([
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords that hold schemas otherwise. What others hold may be referred to, but gives no names. */
const SCHEMAS = new Set(
  (
    "additionalItems additionalProperties allOf anyOf contains contentSchema else if items not oneOf prefixItems " +
    "propertyNames then unevaluatedItems unevaluatedProperties"
  ).split(" "),
);

/** Keywords that hold lists of schemas; nobody can refer into other lists. */
const LISTS = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);

/** Keywords that are gone after they were read: names, references, and what does not decide whether a value fits. */
const READ = new Set(
  "$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $schema $vocabulary format id".split(
    " ",
  ),
);

/** A schema that both validators read alike. */
export interface PreparedSchema {
  readonly dialect: Dialect;
  /**
   * A copy that nobody else holds, of one resource, its references all pointers from its root. `format` is left out: it
   * says what a text means, not whether it fits.
   */
  readonly schema: boolean | Record<string, unknown>;
  /** Every schema in it that is an object. */
  readonly parts: readonly Record<string, unknown>[];
}

/** @throws SandboxError `bad_schema` with the place in `data.path` */
export function prepareSchema(given: unknown): PreparedSchema {
  if (typeof given === "boolean") return { dialect: "2020-12", schema: given, parts: [] };
  if (!isObject(given)) throw bad("", "is no JSON Schema");
  const { dialect, draft4 } = dialectOf(given["$schema"]);
  const copier = new Copier(dialect, draft4);
  const start = { path: "", level: 0, base: NO_ADDRESS, named: true };
  const schema = copier.schema(given, start) as Record<string, unknown>;
  copier.resolveReferences(schema);
  return { dialect, schema, parts: copier.parts };
}

/** Where a part of a schema is. */
interface Place {
  readonly path: string;
  readonly level: number;
  /** The address of its resource. */
  readonly base: string;
  /** Whether names in it count: not where only a reference makes it a schema. */
  readonly named: boolean;
}

class Copier {
  readonly parts: Record<string, unknown>[] = [];
  readonly #dialect: Dialect;
  readonly #draft4: boolean;
  readonly #names = new SchemaNames();
  readonly #references: Reference[] = [];
  #objects = 0;

  constructor(dialect: Dialect, draft4: boolean) {
    this.#dialect = dialect;
    this.#draft4 = draft4;
  }

  schema(value: unknown, place: Place): unknown {
    if (Array.isArray(value))
      return value.map((item, i) => this.schema(item, inside(place, String(i), place.named)));
    if (!isObject(value)) return value;
    this.#count(place);
    const copy: Record<string, unknown> = {};
    this.parts.push(copy);
    const own = place.named ? this.#readNames(value, place) : place;
    this.#readReferences(value, copy, own);
    for (const [key, member] of Object.entries(value)) {
      if (!READ.has(key) && key !== "$ref") set(copy, key, this.#member(key, member, own));
    }
    if (this.#draft4) fromDraft4(copy);
    return copy;
  }

  #member(key: string, value: unknown, around: Place): unknown {
    const place = inside(around, key, around.named && (SCHEMAS.has(key) || MAPS.has(key)));
    if (DATA.has(key) || (Array.isArray(value) && !LISTS.has(key))) return this.#data(value, place);
    if (!MAPS.has(key) || !isObject(value)) return this.schema(value, place);
    this.#count(place);
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      set(copy, name, this.schema(member, inside(place, name, place.named)));
    }
    return copy;
  }

  #data(value: unknown, place: Place): unknown {
    if (typeof value !== "object" || value === null) return value;
    this.#count(place);
    const next = inside(place, "", false);
    if (Array.isArray(value)) return value.map((item) => this.#data(item, next));
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) set(copy, key, this.#data(member, next));
    return copy;
  }

  #count({ path, level }: Place): void {
    if (level > MOST_LEVELS) throw bad(path, `is deeper than ${MOST_LEVELS} levels`);
    if (++this.#objects > MOST_OBJECTS) throw bad(path, `has more than ${MOST_OBJECTS} parts`);
  }

  /** The place with the address by which it goes on. */
  #readNames(schema: Record<string, unknown>, place: Place): Place {
    const { path } = place;
    const old = this.#dialect === "7";
    // Before 2019-09 a reference stood alone.
    if (old && schema["$ref"] !== undefined) return place;
    const id = schema[this.#draft4 ? "id" : "$id"];
    const base = typeof id === "string" ? this.#names.identify(id, place.base, path) : place.base;
    if (old) return { ...place, base };
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    if (typeof $anchor === "string") this.#names.anchor($anchor, base, path);
    if (this.#dialect === "2020-12" && typeof $dynamicAnchor === "string") {
      if ($dynamicAnchor !== $anchor) this.#names.anchor($dynamicAnchor, base, path);
      this.#names.overridable($dynamicAnchor, base);
    }
    if (this.#dialect === "2019-09" && $recursiveAnchor === true) {
      this.#names.overridable("", base);
    }
    return { ...place, base };
  }

  #readReferences(
    schema: Record<string, unknown>,
    copy: Record<string, unknown>,
    { path, base }: Place,
  ): void {
    const add = (target: unknown, kind: Reference["kind"]) => {
      if (target === undefined) return;
      if (typeof target !== "string") throw bad(path, "has a reference that is no text");
      this.#references.push({ copy, path, base, target, kind });
    };
    add(schema["$ref"], "plain");
    if (this.#dialect === "2020-12") add(schema["$dynamicRef"], "dynamic");
    if (this.#dialect === "2019-09") add(schema["$recursiveRef"], "recursive");
  }

  /** Makes every reference a pointer from the root. */
  resolveReferences(root: Record<string, unknown>): void {
    const parts = new Set<unknown>(this.parts);
    for (const reference of this.#references) {
      const { copy, path, target } = reference;
      const found = this.#names.pathOf(reference);
      const value = valueAt(root, found);
      if (!parts.has(value) && typeof value !== "boolean")
        throw bad(path, `refers to ${target}, which is not there`);
      if (copy["$ref"] === undefined) copy["$ref"] = pointerTo(found);
      else copy["allOf"] = [...((copy["allOf"] as []) ?? []), { $ref: pointerTo(found) }];
    }
    new StepCounter((pointer) => valueAt(root, decodeURIComponent(pointer.slice(1)))).count(
      root,
      "",
    );
  }
}

function inside(place: Place, name: string, named: boolean): Place {
  return { ...place, path: `${place.path}/${escape(name)}`, level: place.level + 1, named };
}
