// The validator that registries use when they are given none, loaded with the first schema; page and Node.

import type { SchemaValidator } from "../tools/provider.ts";

/** Loads the validator that needs no generated code. */
export async function defaultValidator(): Promise<SchemaValidator> {
  return (await import("../json-schema/cfworker-validator.ts")).cfworkerValidator;
}
