// One list and one call over all kinds of tools: the registry of the contract; page, worker and Node.

import type { ToolEntry } from "./contract-tool.ts";
import { errorEnvelope, type ToolResultEnvelope } from "./envelope.ts";
import type { CallOptions, ToolLister, ToolProvider, ValidatorSource } from "./provider.ts";
import type { DoorOffer } from "./provider-door.ts";
import {
  type CheckedRegistration,
  checkRegistration,
  checkRegistryOptions,
  type Registration,
  type ToolRegistryOptions,
} from "./registry-options.ts";
import { type RegistryCall, RegistryRecord } from "./registry-record.ts";
import type { RegistryProblem, Route, Routes } from "./registry-routes.ts";
import type * as Work from "./registry-work.ts";

/** Options whose validator is known. */
export type FilledOptions = ToolRegistryOptions & { readonly validator: ValidatorSource };

/** One list and one call over providers; is a provider itself. Made by `toolRegistry()`. */
export class ToolRegistry implements ToolProvider, ToolLister {
  readonly callOptions = "*";
  /** Every tool is checked by the registry that owns it. */
  readonly checksArguments = true;
  readonly #owners: CheckedRegistration[] = [];
  readonly #settings: FilledOptions;
  readonly #record: RegistryRecord;
  #routes: Promise<Routes> | undefined;
  #problems: readonly RegistryProblem[] = [];

  /** Not for callers: `toolRegistry()` makes registries. */
  constructor(given: Iterable<ToolProvider | Registration>, settings: FilledOptions) {
    checkRegistryOptions(settings);
    this.#settings = settings;
    this.#record = new RegistryRecord(settings.onCall);
    for (const one of given) this.register(one);
  }

  /** The record of calls, oldest first. */
  get calls(): readonly RegistryCall[] {
    return this.#record.calls;
  }

  /** What the last listing could not take: providers that failed, entries that are no tools. */
  get problems(): readonly RegistryProblem[] {
    return this.#problems;
  }

  /** Adds a provider; it is asked when the next list or call needs it. @throws SandboxError `bad_option` */
  register(given: ToolProvider | Registration): void {
    this.#owners.push(checkRegistration(given, this.#owners.length + 1));
    this.#routes = undefined;
  }

  /**
   * All tools. Providers are asked again (they keep what their servers allow them to keep).
   *
   * @throws SandboxError `tool_conflict`, `tool_unavailable`; with `strict` also `provider_failed`, with `claimLocal` `unclaimed_tool`
   */
  async listTools(
    options: Pick<CallOptions, "user" | "signal"> = {},
  ): Promise<readonly ToolEntry[]> {
    const { byName } = await this.#bind(options);
    return Array.from(byName.values(), ({ entry }) => entry);
  }

  /**
   * Calls a tool. Never rejects: every failure is an envelope with `is_error`, its `type` says which
   * (`UnclaimedToolError`, `ToolRouteConflictError`, `ToolArgumentError`, `ToolDenied`, `ToolTimeout`,
   * `ToolCancelled`, or the class of what the tool threw).
   */
  async callTool(
    name: string,
    args: unknown,
    options: CallOptions = {},
  ): Promise<ToolResultEnvelope> {
    const record = this.#record.start(name, args);
    let result: ToolResultEnvelope;
    try {
      const { callRouted } = await work();
      const route = await this.#route(name, options);
      record.provider = route.owner.label;
      result = await callRouted({
        route,
        name,
        args: args ?? {},
        options,
        settings: this.#settings,
        registry: this,
        record,
      });
    } catch (error) {
      result = await failed(error, name);
    }
    this.#record.end(record, result);
    return result;
  }

  /**
   * Whether arguments fit a tool's schema, whoever owns the tool: undefined when they do, else one line.
   *
   * @throws SandboxError `unclaimed_tool`, `bad_schema`
   */
  async checkArguments(
    name: string,
    args: unknown,
    options: CallOptions = {},
  ): Promise<string | undefined> {
    const { checkOf, objectProblem } = await work();
    const { entry } = await this.#route(name, options);
    const check = await checkOf(entry, this.#settings.validator);
    return objectProblem(args) ?? check(args);
  }

  /**
   * The tools as a guest may call them, through this registry's hooks and policies, for `run({ tools })`.
   *
   * @param only Which to offer; all by default.
   */
  async doorTools(
    only: (entry: ToolEntry) => boolean = () => true,
    options: CallOptions = {},
  ): Promise<DoorOffer> {
    const { jsonArguments, offerEntries } = await work();
    const { byName } = await this.#bind(options);
    const entries = Array.from(byName.values(), ({ entry }) => entry);
    return offerEntries(entries.filter(only), (name, args, signal) => {
      const local = byName.get(name)?.owner.provider.local === true;
      const given = local ? args : jsonArguments(args);
      return this.callTool(name, given, {
        ...options,
        signal: eitherSignal(signal, options.signal),
      });
    });
  }

  /** Forgets who owns what, and lets each provider forget what it keeps. */
  invalidate(): void {
    this.#routes = undefined;
    for (const { provider } of this.#owners) provider.invalidate?.();
  }

  /** Closes every provider that holds a connection. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#owners.map(async ({ provider }) => provider.close?.()));
  }

  async #route(name: string, options: CallOptions): Promise<Route> {
    const { unclaimed, within } = await work();
    const before = this.#routes;
    const known = await within(
      { tool: name, timeoutMs: Infinity, signal: options.signal },
      () => before ?? this.#bind(options),
    );
    const found = known.byName.get(name);
    if (found !== undefined) return found;
    // Who failed to list then may be back.
    const old = before !== undefined && known.problems.length > 0;
    const again = old ? await this.#bind(options) : known;
    const late = again.byName.get(name);
    if (late !== undefined) return late;
    const reserved = again.reserved.get(name);
    if (reserved !== undefined) throw reserved.failed;
    throw unclaimed(name, again);
  }

  #bind(options: Pick<CallOptions, "user" | "signal">): Promise<Routes> {
    const binding = this.#ask(options);
    this.#routes = binding;
    binding.then(
      ({ problems }) => void (this.#problems = problems),
      () => {
        if (this.#routes === binding) this.#routes = undefined;
      },
    );
    return binding;
  }

  async #ask(options: Pick<CallOptions, "user" | "signal">): Promise<Routes> {
    const { askAll, bindRoutes } = await work();
    return bindRoutes(await askAll(this.#owners, options, this.#settings), this.#settings);
  }
}

/** Loaded with the first list or call. */
function work(): Promise<typeof Work> {
  return import("./registry-work.ts");
}

/** The envelope of an error, also of one in loading what makes envelopes. */
async function failed(error: unknown, name: string): Promise<ToolResultEnvelope> {
  try {
    return (await work()).failedEnvelope(error, name);
  } catch {
    return errorEnvelope(
      { type: "Error", message: `${name} could not be called: ${String(error)}` },
      name,
    );
  }
}

function eitherSignal(a: AbortSignal, b: AbortSignal | undefined): AbortSignal {
  return b === undefined ? a : AbortSignal.any([a, b]);
}
