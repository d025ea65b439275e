// One call through a registry: policy, hooks, the check of the arguments, the provider, and one envelope; page, worker and Node.

import { TOOL_TIMEOUT_MS } from "../limits.ts";
import { errorEnvelope, readEnvelope, type ToolResultEnvelope } from "./envelope.ts";
import {
  type CallOptions,
  declaredOptions,
  type ToolLister,
  type ValidatorSource,
} from "./provider.ts";
import { within } from "./provider-deadline.ts";
import { failedEnvelope, refusal } from "./provider-failure.ts";
import { checkOf, objectProblem } from "./provider-validation.ts";
import { type CallContext, policyOf, type ToolRegistryOptions } from "./registry-options.ts";
import type { RegistryCall } from "./registry-record.ts";
import type { Route } from "./registry-routes.ts";

/** Everything one call needs. */
export interface RoutedCall {
  readonly route: Route;
  readonly name: string;
  readonly args: unknown;
  readonly options: CallOptions;
  readonly settings: ToolRegistryOptions & { readonly validator: ValidatorSource };
  readonly registry: ToolLister;
  readonly record: RegistryCall;
}

/** Runs a call to its envelope. Never rejects. */
export async function callRouted(call: RoutedCall): Promise<ToolResultEnvelope> {
  let context = contextOf(call, call.args);
  let result: ToolResultEnvelope;
  try {
    const decided = await decide(call, context);
    if ("envelope" in decided) result = decided.envelope;
    else {
      context = contextOf(call, decided.args);
      call.record.arguments = decided.args;
      result = await callProvider(call, decided.args as Readonly<Record<string, unknown>>);
    }
  } catch (error) {
    result = failedEnvelope(error, call.name);
  }
  return afterwards(call, context, result);
}

function contextOf({ name, options, route }: RoutedCall, args: unknown): CallContext {
  const { entry, owner } = route;
  return { name, arguments: args, entry, provider: owner.label, options, signal: options.signal };
}

/** The arguments to call with, or the envelope of a refusal. */
async function decide(
  call: RoutedCall,
  context: CallContext,
): Promise<{ readonly args: unknown } | { readonly envelope: ToolResultEnvelope }> {
  const { settings, route, name, options } = call;
  const denied = (message: string) => ({ envelope: refusal("denied", message, name) });
  const first = await policyOf(settings.policy, route.owner.policy, context);
  if (first === "deny") return denied(`${name} is not allowed here`);
  let { args } = call;
  if (settings.preToolCall !== undefined) {
    const decision = await asked(() => settings.preToolCall?.(context), name, options.signal);
    if ("refused" in decision) return { envelope: decision.refused };
    const { value } = decision;
    if (value === false) return denied(`${name} was refused`);
    if (typeof value === "object" && value !== null) {
      if ("deny" in value) return denied(String(value.deny) || `${name} was refused`);
      if ("arguments" in value) args = value.arguments;
    }
  }
  const problem = await argumentsProblem(call, args);
  if (problem !== undefined) return { envelope: refusal("invalid_arguments", problem, name) };
  if (first === "ask") {
    const { ask } = settings;
    if (ask === undefined) return denied(`${name} needs a consent that nobody can give here`);
    const answer = await asked(() => ask(contextOf(call, args)), name, options.signal);
    if ("refused" in answer) return { envelope: answer.refused };
    if (answer.value !== true) return denied(`${name} was refused`);
  }
  return { args };
}

/** What a hook says; what it throws is a refusal, since a governor that failed has allowed nothing. */
async function asked(
  ask: () => unknown,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: unknown } | { readonly refused: ToolResultEnvelope }> {
  try {
    return { value: await within({ tool: name, timeoutMs: Infinity, signal }, ask) };
  } catch (error) {
    const { type, error: said } = failedEnvelope(error, name);
    const known = type === "ToolCancelled" || type === "ToolDenied" || type === "ToolError";
    if (type === "ToolCancelled") return { refused: refusal("cancelled", said ?? "", name) };
    return { refused: refusal("denied", known && said ? said : `${name} was refused`, name) };
  }
}

async function argumentsProblem(
  { route, settings }: RoutedCall,
  args: unknown,
): Promise<string | undefined> {
  const problem = objectProblem(args);
  if (problem !== undefined || !route.owner.validate) return problem;
  const check = await checkOf(route.entry, settings.validator);
  return check(args);
}

async function callProvider(
  { route, options, settings, registry, name }: RoutedCall,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolResultEnvelope> {
  const { provider } = route.owner;
  const seconds = route.entry.timeout_seconds;
  const wanted = options.timeoutMs ?? (seconds === undefined ? undefined : seconds * 1000);
  const all = { ...options, timeoutMs: wanted, registry, validator: settings.validator };
  const declared = declaredOptions(provider, all as CallOptions);
  const { callOptions = [] } = provider;
  // A provider that takes a limit knows what does not count, such as the time that a person thinks.
  const own = callOptions === "*" || callOptions.includes("timeoutMs");
  const timeoutMs = own ? Infinity : (wanted ?? settings.timeoutMs ?? TOOL_TIMEOUT_MS);
  const { signal } = options;
  const given: unknown = await within({ tool: name, timeoutMs, signal }, () =>
    provider.callTool(route.innerName, args, declared),
  );
  const read = readEnvelope(given);
  if (read === undefined) {
    const message = `${route.owner.label} answered ${name} with something that is no envelope`;
    return errorEnvelope({ type: "ToolProtocolError", message }, name);
  }
  return read.is_error && read.tool !== name ? { ...read, tool: name } : read;
}

async function afterwards(
  call: RoutedCall,
  context: CallContext,
  result: ToolResultEnvelope,
): Promise<ToolResultEnvelope> {
  const { postToolCall } = call.settings;
  if (postToolCall === undefined) return result;
  const said = await asked(() => postToolCall(context, result), call.name, call.options.signal);
  if ("refused" in said) return said.refused;
  if (said.value === undefined || said.value === null) return result;
  return (
    readEnvelope(said.value) ??
    refusal("denied", `the result of ${call.name} was held back`, call.name)
  );
}
