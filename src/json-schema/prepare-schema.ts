// A schema made safe to compile: copied, bounded, its dialect known, its references inside it; page, worker and Node.

import { bad, DATA, escape, isObject, set, unescape } from "./schema-parts.ts";
import { StepCounter } from "./step-counter.ts";

/** Dialects by the address in `$schema`, without scheme and end. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  "json-schema.org/draft-04/schema": "7",
  "json-schema.org/draft-06/schema": "7",
  "json-schema.org/draft-07/schema": "7",
  "json-schema.org/schema": "2020-12",
  "json-schema.org/draft/2019-09/schema": "2019-09",
  "json-schema.org/draft/2020-12/schema": "2020-12",
};
const DRAFT_4 = "json-schema.org/draft-04/schema";

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

/** The rules a schema is read by. */
export type Dialect = "7" | "2019-09" | "2020-12";

/** A schema that both validators read alike. */
export interface PreparedSchema {
  readonly dialect: Dialect;
  /** A copy that nobody else holds. `format` is left out: it says what a text means, not whether it fits. */
  readonly schema: boolean | Record<string, unknown>;
}

/** @throws SandboxError `bad_schema` with the place in `data.path` */
export function prepareSchema(given: unknown): PreparedSchema {
  if (typeof given === "boolean") return { dialect: "2020-12", schema: given };
  if (!isObject(given)) throw bad("", "is no JSON Schema");
  const name = dialectName(given["$schema"]);
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect === undefined) throw bad("/$schema", `names a dialect that is not known: ${name}`);
  const copier = new Copier(name === DRAFT_4);
  const schema = copier.schema(given, "", 0) as Record<string, unknown>;
  delete schema["$schema"];
  copier.checkReferences(schema);
  return { dialect, schema };
}

function dialectName(value: unknown): string {
  if (value === undefined) return "json-schema.org/schema";
  if (typeof value !== "string") return "something that is no text";
  return value.replace(/^https?:\/\//, "").replace(/#$/, "");
}

class Copier {
  readonly #draft4: boolean;
  /** Copies by their pointer, and by `#anchor`. */
  readonly #byPointer = new Map<string, unknown>();
  readonly #resources = new Set<string>();
  readonly #dynamic = new Set<string>();
  readonly #references: { readonly path: string; readonly target: string }[] = [];
  #objects = 0;

  constructor(draft4: boolean) {
    this.#draft4 = draft4;
  }

  schema(value: unknown, path: string, level: number): unknown {
    if (!isObject(value)) {
      if (Array.isArray(value))
        return value.map((item, i) => this.schema(item, `${path}/${i}`, level + 1));
      return value;
    }
    this.#count(path, level);
    const copy: Record<string, unknown> = {};
    this.#byPointer.set(`#${path}`, copy);
    for (const [key, member] of Object.entries(value)) {
      if (key === "format") continue;
      set(copy, key, this.#member(key, member, `${path}/${escape(key)}`, level + 1));
    }
    this.#readNames(copy, path);
    if (this.#draft4) fromDraft4(copy);
    return copy;
  }

  #member(key: string, value: unknown, path: string, level: number): unknown {
    if (DATA.has(key)) return this.#data(value, path, level);
    if (!MAPS.has(key) || !isObject(value)) return this.schema(value, path, level);
    this.#count(path, level);
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      set(copy, name, this.schema(member, `${path}/${escape(name)}`, level + 1));
    }
    return copy;
  }

  #data(value: unknown, path: string, level: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    this.#count(path, level);
    if (Array.isArray(value)) return value.map((item) => this.#data(item, path, level + 1));
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value))
      set(copy, key, this.#data(member, path, level + 1));
    return copy;
  }

  #count(path: string, level: number): void {
    if (level > MOST_LEVELS) throw bad(path, `is deeper than ${MOST_LEVELS} levels`);
    if (++this.#objects > MOST_OBJECTS) throw bad(path, `has more than ${MOST_OBJECTS} parts`);
  }

  #readNames(copy: Record<string, unknown>, path: string): void {
    const { $id, $ref, $anchor, $dynamicRef, $dynamicAnchor, $recursiveRef } = copy;
    if (this.#draft4 && typeof copy["id"] === "string") {
      copy["$id"] = copy["id"];
      delete copy["id"];
    }
    if (typeof $id === "string" && path !== "") this.#resources.add($id);
    if (typeof $anchor === "string") this.#byPointer.set(`#${$anchor}`, copy);
    if (typeof $dynamicAnchor === "string") {
      this.#byPointer.set(`#${$dynamicAnchor}`, copy);
      this.#dynamic.add(path);
      // With a single resource there is nothing that could override it, so that it is an ordinary anchor.
      copy["$anchor"] = $dynamicAnchor;
      delete copy["$dynamicAnchor"];
    }
    for (const target of [$ref, $dynamicRef]) {
      if (typeof target === "string") this.#references.push({ path, target });
    }
    if ($recursiveRef !== undefined) this.#references.push({ path, target: "#" });
    if ($dynamicRef === undefined) return;
    this.#dynamic.add(path);
    copy["$ref"] ??= $dynamicRef;
    delete copy["$dynamicRef"];
  }

  checkReferences(root: Record<string, unknown>): void {
    const several = this.#resources.size > 0;
    const [dynamic] = this.#dynamic;
    if (several && dynamic !== undefined) {
      throw bad(
        dynamic,
        "has a dynamic reference in a schema of several resources, which is not supported",
      );
    }
    // Inside several resources a reference means what its own resource says; validators resolve those.
    if (!several) {
      const own = typeof root["$id"] === "string" ? root["$id"].replace(/#$/, "") : undefined;
      for (const { path, target } of this.#references) {
        const local =
          own !== undefined && target.startsWith(own) ? target.slice(own.length) || "#" : target;
        if (!local.startsWith("#")) throw bad(path, `refers to ${target}, and nothing is fetched`);
        if (this.#find(local) === undefined)
          throw bad(path, `refers to ${target}, which is not there`);
      }
    }
    new StepCounter((target) => this.#find(target)).count(root, "");
  }

  #find(target: string): unknown {
    if (target === "#" || target === "#/") return this.#byPointer.get("#");
    const direct = this.#byPointer.get(target);
    if (direct !== undefined) return direct;
    try {
      return (
        this.#byPointer.get(decodeURIComponent(target)) ??
        this.#byBoolean(decodeURIComponent(target))
      );
    } catch {
      return undefined;
    }
  }

  /** A reference to `true` or `false`, which are no objects and have no place in the map. */
  #byBoolean(pointer: string): boolean | undefined {
    const at = pointer.lastIndexOf("/");
    const holder = this.#byPointer.get(pointer.slice(0, at));
    const names = pointer.slice(1).split("/").slice(1).map(unescape);
    let value: unknown = holder === undefined ? this.#byPointer.get("#") : holder;
    const rest = holder === undefined ? names : names.slice(-1);
    for (const name of rest) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
        return undefined;
      value = (value as Record<string, unknown>)[name];
    }
    return typeof value === "boolean" ? value : undefined;
  }
}

/** Draft 4 says with a boolean that a bound is exclusive. */
function fromDraft4(schema: Record<string, unknown>): void {
  for (const [exclusive, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const value = schema[exclusive];
    if (typeof value !== "boolean") continue;
    delete schema[exclusive];
    if (!value || typeof schema[bound] !== "number") continue;
    schema[exclusive] = schema[bound];
    delete schema[bound];
  }
}
