// What a walk of a schema needs: which keywords hold data, keys of any name, and the one error; page, worker and Node.

import { SandboxError } from "../errors.ts";

/** Keywords whose value is data, not a schema. */
export const DATA: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "default",
  "examples",
  "required",
  "dependentRequired",
]);

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a key as an own property, whatever its name. */
export function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else object[key] = value;
}

/** A name as a part of a JSON pointer. */
export function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** A part of a JSON pointer as the name it stands for. */
export function unescape(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The error of a schema that cannot be used. */
export function bad(path: string, problem: string, cause?: unknown): SandboxError {
  return new SandboxError(
    "bad_schema",
    `the schema${path === "" ? "" : ` at ${path}`} ${problem}`,
    {
      data: { path },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
