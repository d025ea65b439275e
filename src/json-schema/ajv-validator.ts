// ajv as the validator, by choice: it generates code, so the page's policy has to allow that; page, worker and Node.

import type { Ajv, Options } from "ajv";
import { SandboxError } from "../errors.ts";
import { instanceOf, NoJson } from "./instance.ts";
import { type Dialect, prepareSchema } from "./prepare-schema.ts";
import { bad } from "./schema-parts.ts";
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
  multipleOfPrecision: 7,
};

/**
 * Judges values with ajv instead of the validator by default: the same verdicts, faster for large values, and only on
 * pages whose policy allows code from text (`unsafe-eval`). ajv has to be installed beside this library.
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
  const [{ Ajv: Draft7 }, { Ajv2019 }, { Ajv2020 }] = modules;
  const makers: Readonly<Record<Dialect, () => Ajv>> = {
    "7": () => new Draft7({ ...OPTIONS, ignoreKeywordsWithRef: true }),
    "2019-09": () => new Ajv2019(OPTIONS),
    "2020-12": () => new Ajv2020(OPTIONS),
  };
  return {
    compile(given: unknown): SchemaCheck {
      const { schema, dialect } = prepareSchema(given);
      try {
        // An instance for each schema: names of one must not be found from another.
        const check = makers[dialect]().compile(schema);
        return (value) => judge(check, value);
      } catch (cause) {
        throw bad("", `cannot be used: ${(cause as Error).message}`, cause);
      }
    },
  };
}

function judge(check: ReturnType<Ajv["compile"]>, value: unknown): string | undefined {
  try {
    if (check(instanceOf(value, OBJECT)) === true) return undefined;
    const error = check.errors?.[0];
    const place = error?.instancePath.replace(/^\//, "") ?? "";
    return `${place === "" ? "the value" : place}: ${error?.message ?? "does not fit"}`;
  } catch (error) {
    if (error instanceof NoJson) return error.message;
    if (error instanceof RangeError) return "the value is too complex to check";
    throw error;
  }
}
