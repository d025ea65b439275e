// registerWebMCP(): a registry's tools for the browser's own agent, where the browser has a model context; page.

import { SandboxError } from "../errors.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import { type McpResult, mcpResultOfEnvelope } from "../tools/mcp-shapes.ts";
import type { ToolLister } from "../tools/provider.ts";
import { refusal } from "../tools/provider-failure.ts";
import { AgentNames } from "./agent-names.ts";
import { type AgentOptions, callWhole, chosenTools } from "./agent-parts.ts";

/** A tool as WebMCP takes it. */
export interface WebMcpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  readonly execute: (input: unknown, client?: unknown) => Promise<McpResult>;
}

/** What a browser offers; drafts differ in how tools are taken back. */
export interface ModelContext {
  registerTool(tool: WebMcpTool, options?: { readonly signal: AbortSignal }): unknown;
  unregisterTool?(name: string): unknown;
}

/** Options of {@link registerWebMCP}. */
export interface WebMcpOptions extends AgentOptions {
  /** The browser's by default. */
  readonly modelContext?: ModelContext;
}

/** What was registered. */
export interface WebMcpRegistration {
  /** The names that the browser has. */
  readonly names: readonly string[];
  /** Takes all of them back, and ends calls in flight. */
  unregister(): void;
}

/** Longest name that drafts allow. */
const NAME_CHARACTERS = 128;

/** A registry can say whether arguments fit before anything is called. */
interface ArgumentChecker extends ToolLister {
  checkArguments?(name: string, args: unknown): Promise<string | undefined>;
}

/**
 * Offers a registry's tools to the browser's agent. Undefined where the browser has no model context. Arguments are
 * checked by each tool's schema before they reach it, whoever the tool belongs to.
 *
 * @throws SandboxError `bad_option`; what the browser throws for a name that is taken, after taking back the others
 * @example
 * const registered = await registerWebMCP(registry, { only: (entry) => entry.read_only === true });
 * registered?.unregister();
 */
export async function registerWebMCP(
  registry: ToolLister,
  options: WebMcpOptions = {},
): Promise<WebMcpRegistration | undefined> {
  const context = options.modelContext ?? modelContextOfPage();
  if (context === undefined) return undefined;
  if (typeof context.registerTool !== "function") {
    throw new SandboxError("bad_option", "modelContext has to have registerTool");
  }
  const entries = await chosenTools(registry, options);
  const names = new AgentNames(
    entries.map(({ name }) => name),
    NAME_CHARACTERS,
  );
  const stop = new AbortController();
  const registered: { readonly name: string; readonly handle: unknown }[] = [];
  const unregister = (): void => {
    stop.abort();
    for (const { name, handle } of registered.splice(0)) takeBack(context, name, handle);
  };
  try {
    for (const entry of entries) {
      const tool = webMcpTool(registry, entry, names.shown(entry.name), options, stop.signal);
      const handle = await context.registerTool(tool, { signal: stop.signal });
      registered.push({ name: tool.name, handle });
    }
  } catch (error) {
    unregister();
    throw error;
  }
  return { names: registered.map(({ name }) => name), unregister };
}

function modelContextOfPage(): ModelContext | undefined {
  const { navigator, document } = globalThis as {
    navigator?: { modelContext?: ModelContext };
    document?: { modelContext?: ModelContext };
  };
  return document?.modelContext ?? navigator?.modelContext;
}

function takeBack(context: ModelContext, name: string, handle: unknown): void {
  try {
    const { unregister } = (handle ?? {}) as { unregister?: unknown };
    if (typeof unregister === "function") unregister.call(handle);
    else context.unregisterTool?.(name);
  } catch {
    // The signal has taken it back already.
  }
}

function webMcpTool(
  registry: ArgumentChecker,
  entry: ToolEntry,
  name: string,
  { call = {} }: WebMcpOptions,
  stop: AbortSignal,
): WebMcpTool {
  const { $schema: _dialect, ...schema } = entry.parameters;
  return {
    name,
    ...(entry.title === undefined ? {} : { title: entry.title }),
    description: entry.description,
    inputSchema: { ...schema, type: "object" },
    ...(entry.read_only === undefined ? {} : { annotations: { readOnlyHint: entry.read_only } }),
    execute: async (input, client) => {
      const args = input ?? {};
      const problem = await registry.checkArguments?.(entry.name, args);
      if (problem !== undefined) {
        return mcpResultOfEnvelope(refusal("invalid_arguments", problem, entry.name));
      }
      const signals = [stop, call.signal, signalOf(client)].filter((one) => one !== undefined);
      const result = await callWhole(registry, entry.name, args, {
        ...call,
        signal: AbortSignal.any(signals),
      });
      return mcpResultOfEnvelope(result);
    },
  };
}

/** Where a browser says that its agent has lost interest. */
function signalOf(client: unknown): AbortSignal | undefined {
  const { signal } = (client ?? {}) as { signal?: unknown };
  return signal instanceof AbortSignal ? signal : undefined;
}
