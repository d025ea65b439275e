// localTools(): functions of the page as a provider of the contract; page, worker and Node.

import { SandboxError } from "../errors.ts";
import type { ContractTool, ToolEntry } from "./contract-tool.ts";
import type { ToolResultEnvelope } from "./envelope.ts";
import type { Served } from "./local-call.ts";
import type { CallOptions, RegistryOptions, ToolProvider, ValidatorSource } from "./provider.ts";
import type { DoorOffer } from "./provider-door.ts";
import { type Tool, toolParts } from "./tool.ts";

/** Functions of the page, as a provider. */
export interface LocalTools extends ToolProvider {
  listTools(): readonly ToolEntry[];
  /** Never rejects. */
  callTool(
    name: string,
    args: unknown,
    options?: CallOptions & RegistryOptions,
  ): Promise<ToolResultEnvelope>;
  /**
   * The same tools for `run({ tools })`. Names that the door does not allow are mapped (`web-search` becomes
   * `web_search`); those whose schema does not fit the tool protocol are in `problems`.
   */
  door(): Promise<DoorOffer>;
}

/** Makes a provider; `loadValidator` gives what checks contract tools when a registry lends nothing. */
export function makeLocalTools(
  tools: readonly (Tool | ContractTool)[],
  loadValidator: ValidatorSource,
): LocalTools {
  const served = new Map<string, Served>();
  for (const made of tools) {
    const one = serve(made);
    if (served.has(made.name)) {
      throw new SandboxError("bad_tool", `two tools are named ${JSON.stringify(made.name)}`);
    }
    served.set(made.name, one);
  }
  const entries = Object.freeze(Array.from(served.values(), ({ entry }) => entry));
  return {
    name: "local",
    local: true,
    checksArguments: true,
    callOptions: ["timeoutMs", "signal", "validator"],
    listTools: () => entries,
    callTool: async (name, args, options = {}) => {
      const [{ callLocal }, { refusal }] = await Promise.all([
        import("./local-call.ts"),
        import("./provider-failure.ts"),
      ]);
      const tool = served.get(name);
      if (tool === undefined) return refusal("unknown_tool", `no tool is named ${name}`, name);
      return callLocal(tool, args, { validator: loadValidator, ...options });
    },
    door: async () => (await import("./provider-door.ts")).offerToDoor(tools),
  };
}

function serve(made: Tool | ContractTool): Served {
  if (isContractTool(made)) return { made, entry: made.entry };
  toolParts(made);
  return { made, entry: entryOfTool(made) };
}

function isContractTool(made: Tool | ContractTool): made is ContractTool {
  return typeof (made as Partial<ContractTool> | undefined)?.entry === "object";
}

/** The entry of a tool of tool(): the keys of the contract for those of MCP. */
export function entryOfTool(made: Tool): ToolEntry {
  const { name, description, inputSchema, outputSchema, annotations } = made;
  const { timeoutMs } = toolParts(made);
  return Object.freeze({
    name,
    description,
    parameters: inputSchema,
    ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
    ...(annotations === undefined ? {} : { annotations, ...hintKeys(annotations) }),
    ...(timeoutMs === undefined || timeoutMs === Infinity
      ? {}
      : { timeout_seconds: timeoutMs / 1000 }),
  });
}

/** The contract's own keys for MCP's hints; idempotent only when it is true, as the contract has it. */
export function hintKeys(annotations: {
  readonly [hint: string]: unknown;
}): Partial<Pick<ToolEntry, "title" | "idempotent" | "read_only" | "destructive" | "open_world">> {
  const { title, idempotentHint, readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return {
    ...(typeof title === "string" ? { title } : {}),
    ...(idempotentHint === true ? { idempotent: true } : {}),
    ...(typeof readOnlyHint === "boolean" ? { read_only: readOnlyHint } : {}),
    ...(typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {}),
    ...(typeof openWorldHint === "boolean" ? { open_world: openWorldHint } : {}),
  };
}
