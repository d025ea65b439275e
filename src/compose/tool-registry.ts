// toolRegistry() and localTools() with the validator that they use by default; page and Node.

import type { ContractTool } from "../tools/contract-tool.ts";
import { type LocalTools, makeLocalTools } from "../tools/local-tools.ts";
import type { ToolProvider } from "../tools/provider.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Registration, ToolRegistryOptions } from "../tools/registry-options.ts";
import type { Tool } from "../tools/tool.ts";
import { defaultValidator } from "./default-validator.ts";

/**
 * One list and one call over everything an agent may use, wherever it lives.
 *
 * @throws SandboxError `bad_option`
 * @example
 * const registry = toolRegistry([localTools(lookupRegion), greet, mcpTools({ url })], {
 *   policy: { "*": "allow", delete_file: "ask" },
 *   ask: async (call) => confirm(`${call.name} ${JSON.stringify(call.arguments)}?`),
 * });
 * const entries = await registry.listTools();                      // [{ name, description, parameters, … }]
 * const { result, is_error } = await registry.callTool("greet", { name: "Ada" });
 */
export function toolRegistry(
  providers: Iterable<ToolProvider | Registration>,
  options: ToolRegistryOptions = {},
): ToolRegistry {
  return new ToolRegistry(providers, { validator: defaultValidator, ...options });
}

/**
 * Functions of the page as a provider. `door` offers the same tools to guests, under names that guests can write.
 *
 * @throws SandboxError `bad_tool` for two tools of one name, or something that neither tool() nor contractTool() made
 * @example
 * const local = localTools(lookupRegion, contractTool({ name: "web-search", parameters, execute }));
 * const registry = toolRegistry([local]);
 * const run = python.run({ args: ["-c", code], tools: (await local.door()).tools }); // tools.web_search(…)
 */
export function localTools(...tools: readonly (Tool | ContractTool)[]): LocalTools {
  return makeLocalTools(tools, defaultValidator);
}
