// contractTool(): a function of the page by the contract of listing and calling, with any JSON Schema; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { jsonFromOption } from "../schema/json-from-value.ts";
import { isJsonObject, type Json } from "../schema/json-value.ts";
import { frozenValue } from "./frozen-value.ts";
import { type Tool, tool, type ToolAnnotations, type ToolContext, toolParts } from "./tool.ts";

/** What an author gives to {@link contractTool}. Keys that are left out are not advertised. */
export interface ContractToolDefinition {
  /** Any text that is not empty, such as `web-search`; the door needs a stricter one. */
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, any keyword; absent: any object. */
  readonly parameters?: object | string;
  // oxlint-disable-next-line typescript/no-explicit-any -- the schema, not the compiler, says what the arguments are
  readonly execute: (args: any, context: ToolContext) => unknown;
  readonly title?: string;
  readonly outputSchema?: object | string;
  readonly idempotent?: boolean;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
  readonly icons?: readonly object[];
  readonly taskSupport?: "forbidden" | "optional" | "required";
  readonly meta?: object;
  readonly semantics?: object;
  /** Milliseconds; advertised as `timeout_seconds`. */
  readonly timeoutMs?: number;
}

/** An entry of the contract's `list_tools`; an optional key is there only when it was set. */
export interface ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly title?: string;
  readonly output_schema?: unknown;
  readonly idempotent?: boolean;
  readonly read_only?: boolean;
  readonly destructive?: boolean;
  readonly open_world?: boolean;
  readonly icons?: unknown;
  readonly task_support?: string;
  readonly meta?: unknown;
  readonly semantics?: unknown;
  readonly timeout_seconds?: number;
  readonly annotations?: ToolAnnotations;
}

/** A tool of the contract, frozen. Made by {@link contractTool}. */
export interface ContractTool {
  readonly name: string;
  readonly entry: ToolEntry;
  readonly execute: ContractToolDefinition["execute"];
  readonly timeoutMs: number | undefined;
  /** The same tool for the door; absent where the name or the schema is outside the tool protocol. */
  readonly door?: Tool;
  /** Why it does not reach the door; absent when it does. */
  readonly doorProblem?: SandboxError;
}

/**
 * Makes a tool of the contract: its `parameters` may use all of JSON Schema. It can also be offered to guests through
 * the door where its schema fits the tool protocol's subset; `doorProblem` says why not otherwise.
 *
 * @throws SandboxError `bad_tool`
 * @example
 * const search = contractTool({
 *   name: "web-search",
 *   parameters: { type: "object", properties: { query: { type: "string", pattern: "\\S" } }, required: ["query"] },
 *   execute: async ({ query }) => find(query),
 * });
 */
export function contractTool(definition: ContractToolDefinition): ContractTool {
  if (typeof definition !== "object" || definition === null) {
    throw new SandboxError("bad_tool", "contractTool() takes an object with name and execute");
  }
  const { name, execute, timeoutMs } = definition;
  if (typeof name !== "string" || name === "") {
    throw new SandboxError("bad_tool", "name must be a string that is not empty");
  }
  if (typeof execute !== "function") {
    throw new SandboxError("bad_tool", `${name}: execute must be a function`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw new SandboxError("bad_tool", `${name}: timeoutMs must be a positive number`);
  }
  const entry = entryOf(definition);
  return Object.freeze({ name, entry, execute, timeoutMs, ...doorSide(definition, entry) });
}

/** The door's side of a tool of either make. @throws SandboxError `bad_tool` where there is none */
export function doorTool(made: Tool | ContractTool): Tool {
  const contract = made as Partial<ContractTool> | undefined;
  if (contract?.doorProblem !== undefined) throw contract.doorProblem;
  const door = contract?.door ?? (made as Tool);
  toolParts(door);
  return door;
}

function entryOf(definition: ContractToolDefinition): ToolEntry {
  const { name, description = "", timeoutMs } = definition;
  if (typeof description !== "string") {
    throw new SandboxError("bad_tool", `${name}: description must be a string`);
  }
  const json = (what: string, value: unknown) =>
    value === undefined ? undefined : jsonFromOption(`${name}: ${what}`, value);
  const parameters = json("parameters", definition.parameters ?? { type: "object" });
  if (!isJsonObject(parameters)) {
    throw new SandboxError("bad_tool", `${name}: parameters must be a JSON Schema object`);
  }
  const optional: Record<string, Json | undefined> = {
    title: definition.title,
    output_schema: json("outputSchema", definition.outputSchema),
    idempotent: definition.idempotent,
    read_only: definition.readOnly,
    destructive: definition.destructive,
    open_world: definition.openWorld,
    icons: json("icons", definition.icons),
    task_support: definition.taskSupport,
    meta: json("meta", definition.meta),
    semantics: json("semantics", definition.semantics),
    timeout_seconds:
      timeoutMs === undefined || timeoutMs === Infinity ? undefined : timeoutMs / 1000,
    annotations: hints(definition),
  };
  const set = Object.entries(optional).filter(([, value]) => value !== undefined);
  return frozenValue({
    name,
    description,
    parameters,
    ...Object.fromEntries(set),
  }) as ToolEntry;
}

/** The MCP-style annotations that go with the four hints, when any is set. */
function hints(definition: ContractToolDefinition): Json | undefined {
  const { readOnly, destructive, idempotent, openWorld } = definition;
  const all = {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
  const set = Object.entries(all).filter(([, hint]) => hint !== undefined);
  return set.length === 0 ? undefined : (Object.fromEntries(set) as Json);
}

function doorSide(
  definition: ContractToolDefinition,
  entry: ToolEntry,
): { door: Tool } | { doorProblem: SandboxError } {
  const { name, execute, timeoutMs, outputSchema } = definition;
  try {
    const door = tool({
      name,
      description: entry.description,
      inputSchema: definition.parameters ?? { type: "object" },
      execute,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(entry.annotations === undefined ? {} : { annotations: entry.annotations }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    return { door };
  } catch (error) {
    if (error instanceof SandboxError) return { doorProblem: error };
    throw error;
  }
}
