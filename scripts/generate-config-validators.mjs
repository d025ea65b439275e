// Writes src/mcp/config-validators.generated.ts: checks of our fixed shapes as plain code, made by ajv beforehand. Node.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "src/mcp/config-validators.generated.ts");

const text = { type: "string" };
const filled = { type: "string", pattern: "\\S" };
const texts = { type: "array", items: text };
const textMap = { type: "object", additionalProperties: text };
const flag = { type: "boolean" };
const anyObject = { type: "object" };

const toolServer = {
  type: "object",
  required: ["id", "protocol"],
  properties: {
    id: filled,
    protocol: filled,
    name: text,
    usage: { enum: ["use", "deploy", "use-and-deploy"] },
    description: text,
    transport: { enum: ["stdio", "streamable-http", "sse", "http"] },
    url: filled,
    endpoint: filled,
    headers: textMap,
    timeout: { type: "number", exclusiveMinimum: 0 },
    command: filled,
    args: texts,
    env: textMap,
    cwd: text,
    follow_pagination: flag,
    cache_ttl_ms: { type: "integer", minimum: 0 },
    cache_scope: { enum: ["public", "private"] },
    tools: { anyOf: [{ const: "*" }, { type: "array", items: filled }] },
  },
};

const metadata = {
  type: "object",
  required: ["name"],
  properties: { name: filled, description: text },
};

/** By the name of the check. */
export const schemas = {
  checkToolServerRegistry: {
    type: "object",
    required: ["apiVersion", "kind", "spec"],
    properties: {
      apiVersion: { const: "infra/v1" },
      kind: { const: "ToolServerRegistry" },
      metadata,
      spec: {
        type: "object",
        required: ["tool_servers"],
        properties: { tool_servers: { type: "array", items: toolServer } },
      },
    },
  },
  checkToolManifest: {
    type: "object",
    required: ["apiVersion", "kind", "metadata", "spec"],
    additionalProperties: false,
    patternProperties: { "^x-": {} },
    properties: {
      apiVersion: { const: "mas/v1" },
      kind: { const: "Tool" },
      metadata: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        patternProperties: { "^x-": {} },
        properties: {
          name: { type: "string", pattern: "^[a-z0-9][a-z0-9_-]*$" },
          description: text,
          version: { type: "string", pattern: "^[0-9]+\\.[0-9]+\\.[0-9]+" },
          tags: texts,
        },
      },
      spec: {
        type: "object",
        additionalProperties: false,
        patternProperties: { "^x-": {} },
        properties: {
          description: text,
          title: text,
          parameters: {
            type: "array",
            items: {
              type: "object",
              required: ["name", "type"],
              additionalProperties: false,
              patternProperties: { "^x-": {} },
              properties: {
                name: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
                type: { enum: ["string", "integer", "number", "boolean", "array", "object"] },
                description: text,
                required: flag,
                default: {},
                enum: { type: "array" },
                examples: { type: "array" },
              },
            },
          },
          returns: {
            type: "object",
            additionalProperties: false,
            properties: {
              type: { enum: ["string", "integer", "number", "boolean", "array", "object", "any"] },
              description: text,
            },
          },
          idempotent: flag,
          timeout_seconds: { type: "integer", minimum: 1, maximum: 3600 },
          read_only: flag,
          destructive: flag,
          open_world: flag,
          icons: {
            type: "array",
            items: {
              type: "object",
              required: ["src"],
              additionalProperties: false,
              properties: {
                src: filled,
                mime_type: text,
                sizes: texts,
                theme: { enum: ["light", "dark"] },
              },
            },
          },
          task_support: { enum: ["forbidden", "optional", "required"] },
          output_schema: anyObject,
          meta: anyObject,
          semantics: {
            type: "object",
            required: ["concept"],
            properties: { concept: text, op: text, subject_arg: text },
          },
          execution_mode: { enum: ["sync", "async", "realtime"] },
          result_mode: { enum: ["inline", "stream", "session"] },
          tool_category: text,
          events: { type: "array", items: anyObject },
          impl: {
            type: "object",
            additionalProperties: false,
            properties: {
              kind: { enum: ["python", "remote_tool", "openapi"] },
              module_path: text,
              class_name: { type: ["string", "null"] },
              params: anyObject,
            },
          },
        },
      },
    },
  },
};

/** The whole text of the generated file. */
export async function generate() {
  const [{ Ajv2020 }, standalone] = await Promise.all([
    import("ajv/dist/2020.js"),
    import("ajv/dist/standalone/index.js"),
  ]);
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictTuples: false,
    code: { esm: true, source: true },
  });
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, name);
  const names = Object.fromEntries(Object.keys(schemas).map((name) => [name, name]));
  const code = (standalone.default.default ?? standalone.default)(ajv, names);
  if (/\brequire\(|\bimport\b/.test(code))
    throw new Error("the checks need code of ajv at run time");
  return [
    "// Written by scripts/generate-config-validators.mjs: checks of configurations as plain code; page and Node.",
    "/* oxlint-disable */",
    "// @ts-nocheck",
    code,
    "",
  ].join("\n");
}

if (argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, await generate());
