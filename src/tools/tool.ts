// tool(): a function of the page with a name and a schema, ready for the door; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { TOOL_TIMEOUT_MS } from "../limits.ts";
import { type CompiledSchema, compileSchema } from "../schema/compile-schema.ts";
import { jsonFromOption } from "../schema/json-from-value.ts";
import { isJsonObject, type Json, jsonText } from "../schema/json-value.ts";
import { sameValueNodes, type SchemaNode } from "../schema/schema-node.ts";
import type { ArgumentsOf } from "./arguments-of.ts";
import { frozenValue } from "./frozen-value.ts";
import { propertyNameProblem, toolNameProblem } from "./names.ts";

/** MCP's hints about a tool, carried to the guest as they are. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly [hint: string]: unknown;
}

/** What `execute` is given besides the arguments. */
export interface ToolContext {
  /** The tool's own name. */
  readonly name: string;
  /** Aborted when the call runs out of time or the run is stopped; nobody listens to the result any more. */
  readonly signal: AbortSignal;
}

/** What an author gives to {@link tool}. */
export interface ToolDefinition<Schema = unknown> {
  /** A letter, then up to 63 letters, digits or underscores; no Python keyword. */
  readonly name: string;
  /** For whoever writes the guest's code, often a model; empty when left out. */
  readonly description?: string;
  /** An object, or JSON text where `1.0` must differ from `1`. Absent: no arguments. */
  readonly inputSchema?: Schema;
  /** Carried to the guest; checked only with `checkOutput`. */
  readonly outputSchema?: object | string;
  readonly annotations?: ToolAnnotations;
  /** May be async. What it returns crosses as JSON; see docs/tools.md for the rules. */
  readonly execute: (args: ArgumentsOf<Schema>, context: ToolContext) => unknown;
  /** Milliseconds a call may take, 30,000 by default; Infinity for no limit. */
  readonly timeoutMs?: number;
  /** Keywords outside the subset are skipped instead of refused, because `execute` checks its input itself. */
  readonly validatesInput?: boolean;
  /** Results that do not fit `outputSchema` are internal errors. */
  readonly checkOutput?: boolean;
}

/** What the door keeps of a tool; read with {@link toolParts}. */
export interface ToolParts {
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  /** The descriptor of the `list` operation, as compact JSON. */
  readonly descriptor: string;
  /** The given limit in milliseconds, if one was given. */
  readonly timeoutMs: number | undefined;
  readonly inputSchema: Json;
  readonly outputSchema: Json | undefined;
}

const PARTS = Symbol.for("sallyport.tool.parts");

/** A tool, frozen. Made by {@link tool}. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolAnnotations;
  // oxlint-disable-next-line typescript/no-explicit-any -- the schema, not the compiler, says what the arguments are
  readonly execute: (args: any, context: ToolContext) => unknown;
  readonly timeoutMs: number;
  readonly validatesInput: boolean;
  readonly checkOutput: boolean;
}

/**
 * Makes a tool of a function. Everything that the tool protocol does not allow is refused here, not at the first call.
 *
 * @throws SandboxError `bad_tool`; the message names the path in the schema and the keyword, `data` is `{ path, keyword }`
 * @example
 * const lookupRegion = tool({
 *   name: "lookup_region",
 *   description: "Region of a code",
 *   inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
 *   execute: ({ code }) => ({ EMEA: "Europe, Middle East and Africa" })[code],
 * });
 */
export function tool<const Schema = undefined>(definition: ToolDefinition<Schema>): Tool {
  if (typeof definition !== "object" || definition === null) {
    throw badTool("tool() takes an object with name, description, inputSchema and execute");
  }
  const { name, description = "", execute } = definition;
  if (typeof name !== "string") throw badTool("name must be a string");
  const problem = toolNameProblem(name);
  if (problem !== undefined) throw badTool(`name: ${problem}`);
  if (typeof description !== "string") throw badTool(`${name}: description must be a string`);
  if (typeof execute !== "function") throw badTool(`${name}: execute must be a function`);
  for (const flag of ["validatesInput", "checkOutput"] as const) {
    const value = definition[flag] ?? false;
    if (typeof value !== "boolean") throw badTool(`${name}: ${flag} must be true or false`);
  }
  const { timeoutMs } = definition;
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw badTool(`${name}: timeoutMs must be a positive number of milliseconds`);
  }
  return build(definition);
}

/** The parts of a tool that the door needs. @throws SandboxError `bad_tool` when it was not made by tool() */
export function toolParts(made: Tool): ToolParts {
  const parts = (made as Partial<Record<typeof PARTS, ToolParts>> | undefined)?.[PARTS];
  if (parts === undefined) throw badTool("a tool must be made by tool()");
  return parts;
}

function build(definition: ToolDefinition): Tool {
  const { name, description = "", execute, timeoutMs } = definition;
  const parts = compileParts(definition);
  const made = {
    name,
    description,
    inputSchema: frozenValue(parts.inputSchema) as Record<string, unknown>,
    ...(parts.outputSchema === undefined
      ? {}
      : { outputSchema: frozenValue(parts.outputSchema) as Record<string, unknown> }),
    ...(definition.annotations === undefined
      ? {}
      : { annotations: frozenValue(annotationsOf(definition)) as ToolAnnotations }),
    execute: execute as Tool["execute"],
    timeoutMs: timeoutMs ?? TOOL_TIMEOUT_MS,
    validatesInput: definition.validatesInput === true,
    checkOutput: definition.checkOutput === true,
  };
  Object.defineProperty(made, PARTS, { value: parts });
  return Object.freeze(made);
}

function compileParts(definition: ToolDefinition): ToolParts {
  const { name, description = "", timeoutMs } = definition;
  const inputSchema = jsonFromOption(
    `${name}: inputSchema`,
    definition.inputSchema ?? { type: "object", properties: {} },
  );
  const input = compileSchema(`${name}: inputSchema`, inputSchema, {
    lenient: definition.validatesInput === true,
  });
  checkRoot(name, inputSchema, input.root);
  const { outputSchema, output } = compileOutput(definition);
  const members = [
    `"name":${JSON.stringify(name)}`,
    `"description":${JSON.stringify(description)}`,
    `"inputSchema":${jsonText(inputSchema)}`,
  ];
  if (outputSchema !== undefined) members.push(`"outputSchema":${jsonText(outputSchema)}`);
  if (definition.annotations !== undefined) {
    members.push(`"annotations":${jsonText(annotationsOf(definition))}`);
  }
  return {
    input,
    output,
    descriptor: `{${members.join(",")}}`,
    timeoutMs,
    inputSchema,
    outputSchema,
  };
}

function compileOutput(definition: ToolDefinition): Pick<ToolParts, "output" | "outputSchema"> {
  const what = `${definition.name}: outputSchema`;
  if (definition.outputSchema === undefined) {
    if (definition.checkOutput === true) throw badTool(`${what} is needed for checkOutput: true`);
    return { output: undefined, outputSchema: undefined };
  }
  const outputSchema = jsonFromOption(what, definition.outputSchema);
  if (!isJsonObject(outputSchema)) throw badTool(`${what} must be an object`);
  const output = definition.checkOutput === true ? compileSchema(what, outputSchema) : undefined;
  return { output, outputSchema };
}

function annotationsOf(definition: ToolDefinition): Json {
  const what = `${definition.name}: annotations`;
  const annotations = jsonFromOption(what, definition.annotations);
  if (!isJsonObject(annotations)) throw badTool(`${what} must be an object`);
  return annotations;
}

/** The arguments are an object, and a Python guest names its keys as keyword arguments. */
function checkRoot(name: string, schema: Json, root: SchemaNode): void {
  const types = isJsonObject(schema) ? schema["type"] : undefined;
  const objects =
    types === undefined || types === "object" || (Array.isArray(types) && types.includes("object"));
  if (!isJsonObject(schema) || !objects) {
    throw badTool(`${name}: inputSchema must be a schema of type "object"`, {
      path: "",
      keyword: "type",
    });
  }
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    for (const property of node.object?.properties.keys() ?? []) {
      const problem = propertyNameProblem(property);
      if (problem === undefined) continue;
      const path = `${node.path}/properties/${property}`;
      throw badTool(
        `${name}: inputSchema at ${path}: the property ${problem}, so a Python guest could not pass it; rename it and map it back in execute`,
        { path, keyword: "properties" },
      );
    }
    pending.push(...sameValueNodes(node));
  }
}

function badTool(message: string, data?: { path: string; keyword: string }): SandboxError {
  return new SandboxError("bad_tool", message, data === undefined ? {} : { data });
}
