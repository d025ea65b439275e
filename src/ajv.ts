// Entry `sallyport/ajv`: ajv as the validator of full JSON Schemas, where the page allows generated code; page, worker and Node.

export { ajvValidator } from "./json-schema/ajv-validator.ts";
export type { JsonSchemaValidator, SchemaCheck } from "./json-schema/validator.ts";
