// Checks of tools' schemas, compiled once for each entry; page, worker and Node.

import type { ToolEntry } from "./contract-tool.ts";
import type { SchemaCheck, SchemaValidator, ValidatorSource } from "./provider.ts";

/** By validator and schema, so that a listing that comes again costs nothing. */
const compiled = new WeakMap<SchemaValidator, WeakMap<object, Promise<SchemaCheck>>>();
const loaded = new WeakMap<() => Promise<SchemaValidator>, Promise<SchemaValidator>>();

/** The check of an entry's `parameters`. @throws SandboxError `bad_schema` */
export async function checkOf(
  { parameters }: Pick<ToolEntry, "parameters">,
  source: ValidatorSource,
): Promise<SchemaCheck> {
  return compiledCheck(parameters, await validatorOf(source));
}

/** A schema's check. @throws SandboxError `bad_schema` */
export function compiledCheck(schema: object, validator: SchemaValidator): Promise<SchemaCheck> {
  let checks = compiled.get(validator);
  if (checks === undefined) compiled.set(validator, (checks = new WeakMap()));
  let check = checks.get(schema);
  if (check === undefined) {
    check = (async () => validator.compile(schema))();
    checks.set(schema, check);
  }
  return check;
}

/** A validator, loaded once; a failed load is tried again by the next call. */
export async function validatorOf(source: ValidatorSource): Promise<SchemaValidator> {
  if (typeof source !== "function") return source;
  let loading = loaded.get(source);
  if (loading === undefined) {
    loading = source();
    loaded.set(source, loading);
    loading.catch(() => loaded.delete(source));
  }
  return loading;
}

/** Arguments are an object, whatever the schema says. */
export function objectProblem(args: unknown): string | undefined {
  const fits = typeof args === "object" && args !== null && !Array.isArray(args);
  return fits ? undefined : "the arguments must be an object";
}
