// Tools as a TypeScript declaration of the module "host", for guests in JavaScript or TypeScript; page, worker and Node.

import { type Json, jsonText } from "../schema/json-value.ts";
import {
  describe,
  type StubParameter,
  type StubTool,
  typeOf,
  type TypeWriter,
} from "./stub-schema.ts";

const TYPESCRIPT: TypeWriter = {
  any: "unknown",
  names: {
    string: "string",
    integer: "number",
    number: "number",
    boolean: "boolean",
    null: "null",
  },
  bytes: "Uint8Array",
  union: (types) => {
    const distinct = [...new Set(types)];
    return distinct.includes("unknown") ? "unknown" : distinct.join(" | ");
  },
  literal: (values) => {
    const plain = values.every((value) => typeof value !== "object" || value === null);
    return plain ? values.map((value) => jsonText(value)).join(" | ") : undefined;
  },
  list: (item) => (item.includes(" | ") ? `(${item})[]` : `${item}[]`),
  object: (members) => `{ ${members.map(member).join("; ")} }`,
  map: (value) => `{ [key: string]: ${value} }`,
};

/** The text of {@link stubs} for TypeScript. */
export function typescriptStubs(tools: readonly StubTool[]): string {
  const methods = tools.map((tool) => `${comment(tool)}    ${signature(tool)}\n`);
  return `declare module "host" {\n  export const tools: {\n${methods.join("")}  };\n}\n`;
}

function signature(tool: StubTool): string {
  const members = tool.parameters.map((parameter) =>
    member({ ...parameter, type: typeOf(TYPESCRIPT, tool.input, parameter.schema) }),
  );
  if (tool.open) members.push("[key: string]: unknown");
  const optional = tool.parameters.some((parameter) => parameter.required) ? "" : "?";
  const args = members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
  const result =
    tool.output === undefined ? "unknown" : typeOf(TYPESCRIPT, tool.output, tool.output);
  return `${tool.name}(args${optional}: ${args}): ${result};`;
}

function member({ name, required, type }: StubParameter & { readonly type: string }): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${key}${required ? "" : "?"}: ${type}`;
}

function comment(tool: StubTool): string {
  const lines = [
    ...tool.description.trim().split(/\r\n|\r|\n/),
    ...tool.parameters.flatMap(({ name, schema }: { name: string; schema: Json }) => {
      const text = describe(schema);
      return text === "" ? [] : [`@param args.${name} ${text}`];
    }),
  ].map((line) => line.replaceAll("*/", "*\\/"));
  if (lines.length === 1) return lines[0] === "" ? "" : `    /** ${lines[0]} */\n`;
  return `    /**\n${lines.map((line) => `     *${line === "" ? "" : ` ${line}`}\n`).join("")}     */\n`;
}
