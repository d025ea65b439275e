// What a registry is told besides its providers: hooks, policies, limits, and what is wrong with them; page, worker and Node.

import { SandboxError } from "../errors.ts";
import type { ToolEntry } from "./contract-tool.ts";
import type { ToolResultEnvelope } from "./envelope.ts";
import {
  type CallOptions,
  isProvider,
  type ToolProvider,
  type ValidatorSource,
} from "./provider.ts";
import type { RegistryCall } from "./registry-record.ts";

/** What may happen with a tool: called, called after `ask` said yes, or never called. */
export type ToolPolicy = "allow" | "ask" | "deny";

/** A call as hooks, policies and `ask` see it. */
export interface CallContext {
  /** The name that the caller used. */
  readonly name: string;
  /** As the tool will get them, after what `preToolCall` changed. */
  readonly arguments: unknown;
  readonly entry: ToolEntry;
  /** The provider's name. */
  readonly provider: string;
  readonly options: CallOptions;
  /** Aborted when the caller gave up. */
  readonly signal: AbortSignal | undefined;
}

/** What `preToolCall` decides; nothing: go on. It may also throw ToolDenied. */
export type PreDecision =
  | undefined
  | false
  | { readonly deny: string }
  | { readonly arguments: unknown };

/**
 * Policies by tool name, `"*"` for the rest, or a function. In an object a name of its own beats a provider's policy,
 * which beats `"*"`.
 */
export type PolicyOption =
  | Readonly<Record<string, ToolPolicy>>
  | ((call: CallContext) => ToolPolicy | Promise<ToolPolicy>);

/** Options of a registry. */
export interface ToolRegistryOptions {
  /** Before each call, once its tool is known: allow, deny or change the arguments. What it throws is a refusal. */
  readonly preToolCall?: (call: CallContext) => unknown;
  /** After each call, failed ones too: gives the envelope to use instead, or nothing. What it throws is a refusal. */
  readonly postToolCall?: (call: CallContext, result: ToolResultEnvelope) => unknown;
  /** What may be called; all of it by default. */
  readonly policy?: PolicyOption;
  /** Asked for tools whose policy is `ask`; without it they are denied. */
  readonly ask?: (call: CallContext) => boolean | Promise<boolean>;
  /** Told of the start and end of each call. */
  readonly onCall?: (call: RegistryCall, phase: "start" | "end") => void;
  /** Milliseconds of calls whose tool and caller say nothing. Default 30,000. */
  readonly timeoutMs?: number;
  /** A provider that cannot list its tools fails the listing. Default: it is in `problems`, the others work. */
  readonly strict?: boolean;
  /**
   * Beside providers of other kinds, the page's own tools count only where they are claimed, by names or by `"*"`; any
   * other name of theirs is an `unclaimed_tool` error. Default: they own what nobody else lists.
   */
  readonly claimLocal?: boolean;
  /** Checks full JSON Schemas; by default one that needs no generated code, loaded when it is needed. */
  readonly validator?: ValidatorSource;
}

/** A provider and how this registry takes it. */
export interface Registration {
  readonly provider: ToolProvider;
  /** For messages and records; default: the provider's own name. */
  readonly name?: string;
  /** The names it owns; default: what the provider claims. */
  readonly claims?: "*" | readonly string[];
  /** Put before each of its names. Default: none, and two owners of a name are a conflict. */
  readonly prefix?: string;
  /** For its tools that `policy` does not name. */
  readonly policy?: ToolPolicy;
  /** Whether this registry checks arguments. Default: unless the provider has them checked. */
  readonly validateArguments?: boolean;
}

/** A registration with every default filled in. */
export interface CheckedRegistration {
  readonly provider: ToolProvider;
  readonly label: string;
  /** Undefined where nobody said: all that it lists. */
  readonly claims: "*" | readonly string[] | undefined;
  readonly prefix: string;
  readonly policy: ToolPolicy | undefined;
  readonly validate: boolean;
}

/** @throws SandboxError `bad_option` */
export function checkRegistration(
  given: ToolProvider | Registration,
  number: number,
): CheckedRegistration {
  const registration: Registration = isProvider(given) ? { provider: given } : given;
  const { provider, prefix = "", policy } = registration ?? {};
  if (!isProvider(provider)) wrong(`provider ${number}`, "something with listTools and callTool");
  const label = registration.name ?? provider.name ?? `provider ${number}`;
  const claims = registration.claims ?? provider.claims;
  const names = Array.isArray(claims) && claims.every((name) => typeof name === "string");
  if ((claims ?? "*") !== "*" && !names) wrong(`claims of ${label}`, '"*" or a list of names');
  if (typeof prefix !== "string") wrong(`prefix of ${label}`, "a string");
  if (policy !== undefined && !isPolicy(policy)) wrong(`policy of ${label}`, POLICIES);
  const validate = registration.validateArguments ?? provider.checksArguments !== true;
  return { provider, label, claims, prefix, policy, validate };
}

/** @throws SandboxError `bad_option` */
export function checkRegistryOptions(options: ToolRegistryOptions): void {
  for (const name of ["preToolCall", "postToolCall", "ask", "onCall"] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== "function") wrong(name, "a function");
  }
  const { policy, timeoutMs } = options;
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    wrong("timeoutMs", "a positive number of milliseconds");
  }
  if (policy === undefined || typeof policy === "function") return;
  const fits = typeof policy === "object" && policy !== null;
  if (!fits || !Object.values(policy).every(isPolicy)) {
    wrong("policy", `a function, or an object whose values are ${POLICIES}`);
  }
}

const POLICIES = '"allow", "ask" or "deny"';

function isPolicy(value: unknown): value is ToolPolicy {
  return value === "allow" || value === "ask" || value === "deny";
}

/** The policy of a call; a function that gives something else refuses. */
export async function policyOf(
  option: PolicyOption | undefined,
  ofProvider: ToolPolicy | undefined,
  call: CallContext,
): Promise<ToolPolicy> {
  if (typeof option === "function") {
    const policy = await option(call);
    return isPolicy(policy) ? policy : "deny";
  }
  const own = (name: string) =>
    option !== undefined && Object.hasOwn(option, name) ? option[name] : undefined;
  return own(call.name) ?? ofProvider ?? own("*") ?? "allow";
}

function wrong(name: string, what: string): never {
  throw new SandboxError("bad_option", `the option ${name} is wrong: it has to be ${what}`, {
    data: { option: name },
  });
}
