// The one interface behind which full JSON Schema validators stand; page, worker and Node.

/** Says whether a value fits: undefined when it does, else one line that names the place. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Makes checks of JSON Schemas. 2020-12 is meant where a schema names no dialect. */
export interface JsonSchemaValidator {
  /** @throws SandboxError `bad_schema` for a schema that cannot be used */
  compile(schema: unknown): SchemaCheck;
}
