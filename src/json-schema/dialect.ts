// Which rules a schema is read by, and draft 4 in the words of later ones; page, worker and Node.

import { bad } from "./schema-parts.ts";

/** The rules a schema is read by. */
export type Dialect = "7" | "2019-09" | "2020-12";

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

/** The dialect that `$schema` names. @throws SandboxError `bad_schema` */
export function dialectOf($schema: unknown): {
  readonly dialect: Dialect;
  readonly draft4: boolean;
} {
  const name = dialectName($schema);
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect === undefined) throw bad("/$schema", `names a dialect that is not known: ${name}`);
  return { dialect, draft4: name === DRAFT_4 };
}

function dialectName(value: unknown): string {
  if (value === undefined) return "json-schema.org/schema";
  if (typeof value !== "string") return "something that is no text";
  return value.replace(/^https?:\/\//, "").replace(/#$/, "");
}

/** Draft 4 says with a boolean that a bound is exclusive. */
export function fromDraft4(schema: Record<string, unknown>): void {
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
