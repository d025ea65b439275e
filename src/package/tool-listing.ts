// The tools that a package offers, held against the limits of ABI 1; page and Node.

import { SandboxError } from "../errors.ts";
import {
  PACKAGE_DESCRIPTION_CHARACTERS,
  PACKAGE_LISTING_BYTES,
  PACKAGE_NAME_CHARACTERS,
  PACKAGE_SCHEMA_BYTES,
  PACKAGE_TOOLS,
} from "../limits.ts";
import { isObject, type JsonObject } from "./message.ts";

/** A tool of a package, frozen; the keys are MCP's. Those that the package left out are absent. */
export interface PackageTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema with `"type": "object"` at the top. The package checks its arguments itself. */
  readonly inputSchema: JsonObject;
  /** For people; models are not shown it. */
  readonly outputSchema?: JsonObject;
  readonly title?: string;
  readonly annotations?: JsonObject;
  readonly icons?: readonly unknown[];
  readonly _meta?: JsonObject;
}

/** Which limit of ABI 1 a tool breaks: `data` of the error `bad_package`. */
export interface BrokenLimit {
  /** The tool's name, or its number from 1 where the name is what is wrong; absent for a limit of all together. */
  readonly tool?: string | number;
  readonly field: string;
  /** The limit as a number, or what the field has to be. */
  readonly limit: number | string;
}

const NAME = new RegExp(`^[a-z0-9_-]{1,${PACKAGE_NAME_CHARACTERS}}$`);
const encoder = new TextEncoder();

/**
 * Checks what `tools/list` answered on all its pages.
 *
 * @throws SandboxError `bad_package`, `data` is a {@link BrokenLimit}
 */
export function readTools(listed: readonly unknown[]): readonly PackageTool[] {
  if (listed.length === 0)
    throw broken({ field: "tools", limit: 1 }, "offers no tools, and has to offer 1");
  if (listed.length > PACKAGE_TOOLS) {
    throw broken(
      { field: "tools", limit: PACKAGE_TOOLS },
      `offers ${listed.length} tools, more than ${PACKAGE_TOOLS}`,
    );
  }
  const names = new Set<string>();
  const tools = listed.map((value, index) => {
    const made = readTool(value, index + 1);
    if (names.has(made.name)) {
      throw broken(
        { tool: made.name, field: "name", limit: "unique" },
        `offers ${made.name} twice`,
      );
    }
    names.add(made.name);
    return made;
  });
  const bytes = jsonBytes(listed);
  if (bytes > PACKAGE_LISTING_BYTES) {
    throw broken(
      { field: "tools", limit: PACKAGE_LISTING_BYTES },
      `has ${bytes} bytes of tools, more than ${PACKAGE_LISTING_BYTES} together`,
    );
  }
  return Object.freeze(tools);
}

function readTool(value: unknown, number: number): PackageTool {
  if (!isObject(value)) {
    throw broken(
      { tool: number, field: "tool", limit: "object" },
      `has a tool ${number} that is no object`,
    );
  }
  const { name } = value;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw broken(
      { tool: number, field: "name", limit: PACKAGE_NAME_CHARACTERS },
      `has a tool ${number} whose name is not 1 to ${PACKAGE_NAME_CHARACTERS} characters of a–z, 0–9, _ and -`,
    );
  }
  const made: PackageTool = {
    name,
    description: readDescription(name, value["description"]),
    inputSchema: readInputSchema(name, value["inputSchema"]),
    ...optional(name, value, "outputSchema", isObject, "an object"),
    ...optional(name, value, "title", isText, "text"),
    ...optional(name, value, "annotations", isObject, "an object"),
    ...optional(name, value, "icons", Array.isArray, "an array"),
    ...optional(name, value, "_meta", isObject, "an object"),
  };
  return deepFreeze(made);
}

function readDescription(tool: string, description: unknown): string {
  if (description === undefined) return "";
  const field = "description";
  if (typeof description !== "string") {
    throw broken({ tool, field, limit: "text" }, `has a tool ${tool} whose description is no text`);
  }
  if (characters(description) > PACKAGE_DESCRIPTION_CHARACTERS) {
    throw broken(
      { tool, field, limit: PACKAGE_DESCRIPTION_CHARACTERS },
      `has a tool ${tool} whose description has more than ${PACKAGE_DESCRIPTION_CHARACTERS} characters`,
    );
  }
  return description;
}

function readInputSchema(tool: string, schema: unknown): JsonObject {
  const field = "inputSchema";
  if (!isObject(schema) || schema["type"] !== "object") {
    throw broken(
      { tool, field, limit: "object" },
      `has a tool ${tool} whose inputSchema is no schema with "type": "object" at the top`,
    );
  }
  checkSize(tool, field, schema);
  return schema;
}

/** A key that may be left out; null counts as left out, since some writers of JSON cannot leave out. */
function optional(
  tool: string,
  value: JsonObject,
  field: keyof PackageTool,
  fits: (value: unknown) => boolean,
  what: string,
): JsonObject {
  const given = value[field];
  if (given === undefined || given === null) return {};
  if (!fits(given)) {
    throw broken({ tool, field, limit: what }, `has a tool ${tool} whose ${field} is not ${what}`);
  }
  if (field === "outputSchema") checkSize(tool, field, given);
  return { [field]: given };
}

function checkSize(tool: string, field: string, schema: unknown): void {
  const bytes = jsonBytes(schema);
  if (bytes <= PACKAGE_SCHEMA_BYTES) return;
  throw broken(
    { tool, field, limit: PACKAGE_SCHEMA_BYTES },
    `has a tool ${tool} whose ${field} has ${bytes} bytes, more than ${PACKAGE_SCHEMA_BYTES}`,
  );
}

function broken(limit: BrokenLimit, message: string): SandboxError {
  return new SandboxError("bad_package", `the package ${message}`, { data: limit });
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** Code points. */
function characters(text: string): number {
  if (text.length <= PACKAGE_DESCRIPTION_CHARACTERS) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The listing is shared by everyone who loads the same module. */
function deepFreeze<T extends object>(root: T): T {
  const waiting: object[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    Object.freeze(next);
    for (const value of Object.values(next)) {
      if (typeof value === "object" && value !== null) waiting.push(value as object);
    }
  }
  return root;
}
