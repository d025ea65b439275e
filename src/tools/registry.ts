// One list and one call over all kinds of tools: the registry of the contract; page, worker and Node.

import { SandboxError } from "../errors.ts";
import type { ToolEntry } from "./contract-tool.ts";
import type { ToolResultEnvelope } from "./envelope.ts";
import { objectProblem } from "./local-tools.ts";
import type { CallOptions, ToolLister, ToolProvider, ValidatorSource } from "./provider.ts";
import { jsonArguments } from "./provider-arguments.ts";
import { within } from "./provider-deadline.ts";
import { type DoorOffer, offerEntries } from "./provider-door.ts";
import { failedEnvelope, failureOf } from "./provider-failure.ts";
import { checkOf } from "./provider-validation.ts";
import { callRouted } from "./registry-call.ts";
import {
  type CheckedRegistration,
  checkRegistration,
  checkRegistryOptions,
  type Registration,
  type ToolRegistryOptions,
} from "./registry-options.ts";
import { type RegistryCall, RegistryRecord } from "./registry-record.ts";
import {
  bindRoutes,
  type Listing,
  type RegistryProblem,
  type Route,
  type Routes,
} from "./registry-routes.ts";

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
   * @throws SandboxError `tool_conflict`, `tool_unavailable`; with `strict` also `provider_failed`
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
      result = failedEnvelope(error, name);
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
    throw new SandboxError("unclaimed_tool", unclaimedMessage(name, again), {
      data: { tool: name },
    });
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
    const listings = await Promise.all(this.#owners.map((owner) => list(owner, options)));
    const failed = listings.find((one) => "failed" in one);
    if (this.#settings.strict === true && failed !== undefined) throw failed.failed;
    return bindRoutes(listings);
  }
}

async function list(
  owner: CheckedRegistration,
  options: Pick<CallOptions, "user" | "signal">,
): Promise<Listing> {
  const { provider, label } = owner;
  try {
    const listed: unknown = await provider.listTools(options);
    if (Array.isArray(listed)) return { owner, listed };
    throw new TypeError("listTools gave no list");
  } catch (cause) {
    const message = `${label} could not list its tools: ${failureOf(cause).message}`;
    return {
      owner,
      failed: new SandboxError("provider_failed", message, { cause, data: { provider: label } }),
    };
  }
}

function unclaimedMessage(name: string, { byName, problems }: Routes): string {
  const names = [...byName.keys()];
  const known = names.length === 0 ? "there are no tools" : `there are: ${names.join(", ")}`;
  const failed = problems.map(({ error }) => `; ${error.message}`).join("");
  return `no provider has a tool named ${JSON.stringify(name)}; ${known}${failed}`;
}

function eitherSignal(a: AbortSignal, b: AbortSignal | undefined): AbortSignal {
  return b === undefined ? a : AbortSignal.any([a, b]);
}
