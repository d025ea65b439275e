// ajv as the validator, by choice: it generates code, so the page's policy has to allow that; page, worker and Node.

import { deepCompareStrict, validate } from "@cfworker/json-schema";
import type { Ajv, FuncKeywordDefinition, KeywordCxt, Options } from "ajv";
import { SandboxError } from "../errors.ts";
import { Budget } from "./budget.ts";
import { cfworkerValidator } from "./cfworker-validator.ts";
import type { Dialect } from "./dialect.ts";
import { instanceOf, NoJson } from "./instance.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { bad, isObject } from "./schema-parts.ts";
import type { JsonSchemaValidator, SchemaCheck } from "./validator.ts";

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
 * that ajv reads otherwise than the specification (`unevaluatedItems`, `unevaluatedProperties`, `contains`, properties
 * without a name or called `__proto__`), and those that are too large for it, are left to the validator by default.
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
        // Its bookkeeping of what was looked at, which no schema here needs, fails beside references.
        Object.assign(ajv.opts, { unevaluated: false });
        for (const own of OWN) {
          ajv.removeKeyword(own.keyword);
          ajv.addKeyword(own);
        }
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

/** Names that ajv loses: it writes names into code, and takes an empty one for none. */
const isLost = (name: unknown) => name === "" || name === "__proto__";

/** What ajv is known to judge otherwise than the specification: the validator by default takes those schemas. */
function isMisjudged(part: Record<string, unknown>): boolean {
  if (WHOLE.some((keyword) => part[keyword] !== undefined)) return true;
  const names = NAMED.flatMap((keyword) => {
    const value = part[keyword];
    if (Array.isArray(value)) return value as unknown[];
    return isObject(value) ? [...Object.keys(value), ...Object.values(value).flat()] : [];
  });
  return names.some(isLost);
}

/**
 * Keywords left to the other: ajv does not see all that nested parts have looked at, and in a loop takes an empty list
 * for one that contains what is asked for.
 */
const WHOLE = ["unevaluatedItems", "unevaluatedProperties", "contains"];

/** Keywords that name properties. */
const NAMED = ["properties", "required", "dependentRequired", "dependentSchemas", "dependencies"];

/**
 * Keywords as the validator by default judges them. ajv divides and rounds for `multipleOf`, and calls methods of the
 * values that it compares, which fails on one with a member called `toString`.
 */
const OWN: readonly (FuncKeywordDefinition & { readonly keyword: string })[] = [
  {
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (multipleOf: number) => (value: number) =>
      validate(value, { multipleOf }, "2020-12", {}).valid,
    error: { message: ({ schema }) => `must be a multiple of ${String(schema)}` },
  },
  {
    keyword: "const",
    compile: (wanted: unknown) => (value: unknown) => deepCompareStrict(value, wanted),
    error: { message: "must be equal to the constant" },
  },
  {
    keyword: "enum",
    schemaType: "array",
    compile: (wanted: unknown[]) => (value: unknown) =>
      wanted.some((one) => deepCompareStrict(value, one)),
    error: { message: "must be equal to one of the allowed values" },
  },
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (wanted: boolean) => (items: unknown[]) => !wanted || areUnique(items),
    error: { message: "must not have items twice" },
  },
];

function areUnique(items: readonly unknown[]): boolean {
  const plain = items.slice(); // spreading would ask for the length, which is counted, with each item
  const scalars = new Set(plain.filter((item) => typeof item !== "object" || item === null));
  const others = plain.filter((item) => typeof item === "object" && item !== null);
  if (scalars.size + others.length < plain.length) return false;
  return others.every((item, at) =>
    others.slice(0, at).every((before) => !deepCompareStrict(item, before)),
  );
}

function judge(
  check: ReturnType<Ajv["compile"]>,
  value: unknown,
  budget: Budget,
): string | undefined {
  try {
    if (check(instanceOf(value, budget)) === true) return undefined;
    const error = check.errors?.[0];
    const place = error?.instancePath.replace(/^\//, "") ?? "";
    return `${place === "" ? "the value" : place}: ${error?.message ?? "does not fit"}`;
  } catch (error) {
    if (error instanceof NoJson) return error.message;
    if (error instanceof RangeError) return "the value is too complex to check";
    return `the schema cannot be used: ${(error as Error).message}`;
  }
}
