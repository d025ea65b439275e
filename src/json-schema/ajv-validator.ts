// ajv as the validator, by choice: it generates code, so the page's policy has to allow that; page, worker and Node.

import { validate } from "@cfworker/json-schema";
import type { Ajv, KeywordCxt, Options } from "ajv";
import { SandboxError } from "../errors.ts";
import { Budget } from "./budget.ts";
import { cfworkerValidator } from "./cfworker-validator.ts";
import type { Dialect } from "./dialect.ts";
import { instanceOf, NoJson } from "./instance.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { bad, isObject } from "./schema-parts.ts";
import type { JsonSchemaValidator, SchemaCheck } from "./validator.ts";

/** What its copies inherit: ajv's comparison wants methods, and looks at own properties alone otherwise. */
const OBJECT = Object.prototype;

const OPTIONS: Options = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  validateSchema: false,
  meta: false,
  logger: false,
  ownProperties: true,
  unicodeRegExp: true,
  // A large part that many refer to must not become as many copies of its code.
  inlineRefs: false,
};

/** A keyword of ours, in every part of a schema: counts that the part is held against a value. */
const STEP = "$step";

/**
 * Judges values with ajv instead of the validator by default: the same verdicts, faster for large values, and only on
 * pages whose policy allows code from text (`unsafe-eval`). ajv has to be installed beside this library. The few schemas
 * that ajv reads otherwise than the specification (`unevaluatedItems`, `unevaluatedProperties`, a property called
 * `__proto__`), and those that are too large for it, are left to the validator by default.
 *
 * @throws SandboxError `unsupported` (as a rejection) when ajv is not installed
 * @example
 * import { ajvValidator } from "sallyport/ajv";
 * const registry = toolRegistry(providers, { validator: await ajvValidator() });
 */
export async function ajvValidator(): Promise<JsonSchemaValidator> {
  let modules;
  try {
    modules = await Promise.all([
      import("ajv"),
      import("ajv/dist/2019.js"),
      import("ajv/dist/2020.js"),
    ]);
  } catch (cause) {
    throw new SandboxError("unsupported", "ajv is not there: install it beside sallyport", {
      cause,
    });
  }
  const [{ Ajv: Draft7, _: code }, { Ajv2019 }, { Ajv2020 }] = modules;
  const makers: Readonly<Record<Dialect, () => Ajv>> = {
    "7": () => new Draft7({ ...OPTIONS, ignoreKeywordsWithRef: true }),
    "2019-09": () => new Ajv2019(OPTIONS),
    "2020-12": () => new Ajv2020(OPTIONS),
  };
  return {
    compile(given: unknown): SchemaCheck {
      const { schema, dialect, parts } = prepareSchema(given);
      if (parts.some(isMisjudged)) return cfworkerValidator.compile(given);
      const budget = new Budget(parts.some(({ uniqueItems }) => uniqueItems === true));
      for (const part of parts) part[STEP] = true;
      try {
        // An instance for each schema: names of one must not be found from another.
        const ajv = makers[dialect]();
        ajv.removeKeyword("multipleOf");
        ajv.addKeyword({
          keyword: "multipleOf",
          type: "number",
          schemaType: "number",
          compile: multipleOf,
        });
        ajv.addKeyword({
          keyword: STEP,
          code: ({ gen }: KeywordCxt) => {
            gen.code(code`${gen.scopeValue("obj", { ref: budget.step })}()`);
          },
        });
        const check = ajv.compile(schema);
        return (value) => judge(check, value, budget);
      } catch (cause) {
        // It nests its code as deep as a schema is long.
        if (cause instanceof RangeError) return cfworkerValidator.compile(given);
        throw bad("", `cannot be used: ${(cause as Error).message}`, cause);
      }
    },
  };
}

/** What ajv is known to judge otherwise than the specification: the validator by default takes those schemas. */
function isMisjudged(part: Record<string, unknown>): boolean {
  const { properties, required, unevaluatedItems, unevaluatedProperties } = part;
  if (unevaluatedItems !== undefined || unevaluatedProperties !== undefined) return true;
  const named = isObject(properties) && Object.hasOwn(properties, "__proto__");
  return named || (Array.isArray(required) && required.includes("__proto__"));
}

/** By decimal digits, as the validator by default does it; ajv divides, and rounds. */
function multipleOf(divisor: number): (value: number) => boolean {
  const schema = { multipleOf: divisor };
  return (value) => validate(value, schema, "2020-12", {}).valid;
}

function judge(
  check: ReturnType<Ajv["compile"]>,
  value: unknown,
  budget: Budget,
): string | undefined {
  try {
    if (check(instanceOf(value, budget, OBJECT)) === true) return undefined;
    const error = check.errors?.[0];
    const place = error?.instancePath.replace(/^\//, "") ?? "";
    return `${place === "" ? "the value" : place}: ${error?.message ?? "does not fit"}`;
  } catch (error) {
    if (error instanceof NoJson) return error.message;
    if (error instanceof RangeError) return "the value is too complex to check";
    throw error;
  }
}
