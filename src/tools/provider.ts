// The contract of listing and calling tools: what a provider is, what a call may carry; page, worker and Node.

import type { ToolEntry } from "./contract-tool.ts";
import type { BareResult, ToolResultEnvelope } from "./envelope.ts";

/** Options of a call; all optional. A provider gets only those that its `callOptions` name. */
export interface CallOptions {
  /** Milliseconds the call may take (`timeout_seconds`). */
  readonly timeoutMs?: number;
  /** Ends the call (`cancel_event`). */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ToolProgress) => void;
  /** For MCP's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Answers to the `input_requests` of an earlier result, under the same keys. */
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The `request_state` of an earlier result, as it was. */
  readonly requestState?: string;
  /** Take an `input_required` result as it is, instead of having it answered. */
  readonly allowInputRequired?: boolean;
  /** Take a result type that this library does not know. */
  readonly allowClaimed?: boolean;
  /** The caller's own, passed through. */
  readonly ctx?: unknown;
  /** Who calls; keys what a provider keeps per user. */
  readonly user?: string;
}

/** How far a call is. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a registry lends to providers that declare `registry` or `validator` in their `callOptions`. */
export interface RegistryOptions {
  /** The registry that the call came through, for tools that call others. */
  readonly registry?: ToolLister;
  /** What checks full JSON Schemas. */
  readonly validator?: ValidatorSource;
}

/** The names that `callOptions` may hold. */
export type CallOptionName = keyof CallOptions | keyof RegistryOptions;

/** Something that lists and calls tools. */
export interface ToolLister {
  listTools(options?: Pick<CallOptions, "user" | "signal">): Promise<readonly ToolEntry[]>;
  callTool(name: string, args: unknown, options?: CallOptions): Promise<ToolResultEnvelope>;
}

/**
 * Where tools come from: functions of the page, packages, skills, remote servers, or a registry of those.
 *
 * @example
 * const clock = {
 *   name: "clock",
 *   listTools: () => [{ name: "now", description: "The time", parameters: { type: "object" } }],
 *   callTool: () => ({ result: new Date().toISOString() }),
 * };
 */
export interface ToolProvider {
  /** For messages; absent: its place in the list. */
  readonly name?: string;
  /** The options of a call that it takes; absent: none. */
  readonly callOptions?: readonly string[] | "*";
  /** The names that it owns: what it lists (`"*"`, the default) or these alone. */
  readonly claims?: "*" | readonly string[];
  /** Its tools are the page's own: it yields to others that list the same name. */
  readonly local?: boolean;
  /** Whether a registry leaves arguments unchecked: it checks them itself, or whoever it calls does. */
  readonly checksArguments?: boolean;
  listTools(
    options?: Pick<CallOptions, "user" | "signal">,
  ): readonly ToolEntry[] | Promise<readonly ToolEntry[]>;
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: CallOptions & RegistryOptions,
  ): ToolResultEnvelope | BareResult | Promise<ToolResultEnvelope | BareResult>;
  /** Forgets what it keeps of listings. */
  invalidate?(): void;
  /** Ends connections. */
  close?(): void | Promise<void>;
}

/** Says whether a value fits: undefined when it does, else one line that names the place. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Makes checks of JSON Schemas (2020-12 and earlier drafts). */
export interface SchemaValidator {
  /** @throws SandboxError `bad_schema` for a schema that cannot be used */
  compile(schema: unknown): SchemaCheck | Promise<SchemaCheck>;
}

/** A validator, or what loads it when the first schema is checked. */
export type ValidatorSource = SchemaValidator | (() => Promise<SchemaValidator>);

/** The options of a call that a provider declares; others never reach it. */
export function declaredOptions(
  { callOptions }: Pick<ToolProvider, "callOptions">,
  options: CallOptions & RegistryOptions,
): CallOptions & RegistryOptions {
  if (callOptions === undefined) return {};
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const taken =
    callOptions === "*"
      ? set
      : set.filter(([name]) => callOptions.includes(name as CallOptionName));
  return Object.fromEntries(taken) as CallOptions & RegistryOptions;
}

/** Whether a value can be used as a provider. */
export function isProvider(value: unknown): value is ToolProvider {
  const { listTools, callTool } = (value ?? {}) as Partial<ToolProvider>;
  return typeof listTools === "function" && typeof callTool === "function";
}
