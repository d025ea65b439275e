// The names that a schema gives its parts, and what a reference to one means; page, worker and Node.

import { bad, unescape } from "./schema-parts.ts";

/** The address of a schema that names none; nothing is ever fetched from it. */
export const NO_ADDRESS = "https://schema.invalid/unnamed";

/** A reference as it was found. */
export interface Reference {
  readonly copy: Record<string, unknown>;
  readonly path: string;
  /** The address that it is relative to. */
  readonly base: string;
  readonly target: string;
  /** Whether an outer resource may answer it instead. */
  readonly kind: "plain" | "dynamic" | "recursive";
}

/** Resources by address, anchors by address and name; each stands for a path from the root. */
export class SchemaNames {
  readonly #resources = new Map<string, string>([[NO_ADDRESS, ""]]);
  readonly #anchors = new Map<string, string>();
  /** How many resources have a dynamic anchor of a name; recursive anchors under the empty name. */
  readonly #dynamic = new Map<string, number>();
  /** Addresses with a name that an outer resource may answer instead. */
  readonly #overridable = new Set<string>();

  /** The address by which a part goes on, after its `$id`. */
  identify(id: string, base: string, path: string): string {
    const url = resolve(id, base, path);
    const name = url.hash.slice(1);
    url.hash = "";
    if (name !== "") {
      this.anchor(name, url.href, path);
      return base;
    }
    if (this.#resources.has(url.href)) {
      throw bad(path, `is called ${id}, and more than one schema has that name`);
    }
    this.#resources.set(url.href, path);
    return url.href;
  }

  anchor(name: string, base: string, path: string): void {
    const key = `${base}#${name}`;
    if (this.#anchors.has(key)) {
      throw bad(path, `is called #${name}, and more than one schema has that name`);
    }
    this.#anchors.set(key, path);
  }

  /** Notes that an outer resource may answer a reference to this name; recursive ones have the empty name. */
  overridable(name: string, base: string): void {
    this.#dynamic.set(name, (this.#dynamic.get(name) ?? 0) + 1);
    this.#overridable.add(`${base}#${name}`);
  }

  /** The path of what a reference means. @throws SandboxError `bad_schema` */
  pathOf({ target, base, path, kind }: Reference): string {
    const url = resolve(target, base, path);
    const name = decode(url.hash.slice(1), path);
    url.hash = "";
    if (kind !== "plain" && this.#overridable.has(`${url.href}#${name}`)) {
      // With a single candidate there is nothing to choose: it is an ordinary anchor.
      if ((this.#dynamic.get(name) ?? 0) > 1)
        throw bad(
          path,
          "has a dynamic reference that several resources may answer, which is not supported",
        );
    }
    const resource = this.#resources.get(url.href);
    if (resource === undefined) throw bad(path, `refers to ${target}, and nothing is fetched`);
    if (name === "" || name.startsWith("/")) return resource + (name === "/" ? "" : name);
    const anchored = this.#anchors.get(`${url.href}#${name}`);
    if (anchored === undefined) throw bad(path, `refers to ${target}, which is not there`);
    return anchored;
  }
}

/** A path as both validators look it up. */
export function pointerTo(path: string): string {
  return `#${encodeURI(path).replaceAll("#", "%23")}`;
}

/** What a path leads to, `true` and `false` too. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const part of path.split("/").slice(1)) {
    const name = unescape(part);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function resolve(target: string, base: string, path: string): URL {
  try {
    return new URL(target, base);
  } catch {
    throw bad(path, `refers to ${target}, and nothing is fetched`);
  }
}

function decode(fragment: string, path: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw bad(path, `refers to #${fragment}, which is not there`);
  }
}
