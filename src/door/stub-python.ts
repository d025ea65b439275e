// Tools as the functions a Python guest sees, for a prompt; page, worker and Node.

import { isJsonObject, type Json, jsonText, WholeFloat } from "../schema/json-value.ts";
import {
  describe,
  follow,
  properties,
  type StubTool,
  typeOf,
  type TypeWriter,
} from "./stub-schema.ts";

const PYTHON: TypeWriter = {
  any: "Any",
  names: {
    string: "str",
    integer: "int",
    number: "float",
    boolean: "bool",
    null: "None",
  },
  bytes: "bytes",
  union: (types) => {
    const distinct = [...new Set(types)];
    return distinct.includes("Any") ? "Any" : distinct.join(" | ");
  },
  literal: (values) => {
    // Python's Literal takes no floats, lists or dicts.
    const fits = values.every(
      (value) =>
        value === null ||
        typeof value === "string" ||
        typeof value === "boolean" ||
        typeof value === "bigint" ||
        Number.isInteger(value),
    );
    return fits ? `Literal[${values.map(pythonText).join(", ")}]` : undefined;
  },
  list: (item) => `list[${item}]`,
  object: () => "dict[str, Any]",
  map: (value) => `dict[str, ${value}]`,
};

/** The text of {@link stubs} for Python. */
export function pythonStubs(tools: readonly StubTool[]): string {
  const functions = tools.map(pythonFunction);
  const typing = ["Any", "Literal"].filter((name) =>
    functions.some(({ line }) =>
      new RegExp(`\\b${name}\\b`).test(line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "")),
    ),
  );
  const head = [
    ...(typing.length === 0 ? [] : [`from typing import ${typing.join(", ")}`]),
    "from host import tools",
    "",
    "# Each is called as tools.<name>(...).",
  ];
  return (
    [head.join("\n"), ...functions.map(({ line, doc }) => `${line}\n${doc}`)].join("\n\n") + "\n"
  );
}

function pythonFunction(tool: StubTool): { line: string; doc: string } {
  const parameters = tool.parameters.map(({ name, schema, required }) => {
    const type = typeOf(PYTHON, tool.input, schema);
    return `${name}: ${type}${required ? "" : ` = ${defaultText(schema)}`}`;
  });
  if (tool.open) parameters.push(`**${restName(tool)}`);
  const result = tool.output === undefined ? "" : ` -> ${typeOf(PYTHON, tool.output, tool.output)}`;
  return { line: `def ${tool.name}(${parameters.join(", ")})${result}:`, doc: docstring(tool) };
}

/** A name for further arguments that no parameter has. */
function restName(tool: StubTool): string {
  let name = "more";
  while (tool.parameters.some((parameter) => parameter.name === name)) name += "_";
  return name;
}

/** What stands for an argument that is left out: the schema's default, else `...`. */
function defaultText(schema: Json): string {
  const value = isJsonObject(schema) ? schema["default"] : undefined;
  return value === undefined ? "..." : pythonText(value);
}

function docstring(tool: StubTool): string {
  const lines = tool.parameters.flatMap(({ name, schema }) => {
    const text = [describe(schema), keysOf(tool.input, schema)].filter((part) => part !== "");
    return text.length === 0 ? [] : [`${name}: ${text.join("; ")}`];
  });
  const text = [tool.description.trim(), lines.join("\n")].filter((part) => part !== "");
  const body = text
    .join("\n\n")
    .replaceAll("\\", "\\\\")
    .replaceAll(/"""|"$/g, (quotes) => quotes.replaceAll('"', '\\"'))
    .replaceAll("\0", "")
    .split(/\r\n|\r|\n/)
    .map((line, i) => (i === 0 || line === "" ? line : `    ${line}`));
  return body.length > 1 ? `    """${body.join("\n")}\n    """` : `    """${body[0]}"""`;
}

/** The keys that a dict (or each dict of a list) must have, since its Python type does not say. */
function keysOf(document: Json, given: Json): string {
  let schema = follow(document, given);
  let each = "";
  while (isJsonObject(schema) && schema["type"] === "array") {
    schema = follow(document, schema["items"] ?? true);
    each = "each with ";
  }
  const members = properties(schema).map(
    (member) =>
      `${member.name} (${typeOf(PYTHON, document, member.schema)}${member.required ? "" : ", optional"})`,
  );
  return members.length === 0 ? "" : `${each}keys ${members.join(", ")}`;
}

/** A JSON value as Python source. */
function pythonText(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonText).join(", ")}]`;
  if (typeof value !== "object" || value instanceof WholeFloat) {
    // JSON's escapes mean the same in Python, but for surrogate pairs, which are not written here.
    return jsonText(value);
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${pythonText(member)}`,
  );
  return `{${members.join(", ")}}`;
}
