// What a registry does when it is first asked: binding names, calling, offering to guests; loaded then; page, worker and Node.

import { SandboxError } from "../errors.ts";
import type { CallOptions } from "./provider.ts";
import { failureOf } from "./provider-failure.ts";
import type { CheckedRegistration, ToolRegistryOptions } from "./registry-options.ts";
import type { Listing, Routes } from "./registry-routes.ts";

export { jsonArguments } from "./provider-arguments.ts";
export { within } from "./provider-deadline.ts";
export { offerEntries } from "./provider-door.ts";
export { failedEnvelope } from "./provider-failure.ts";
export { checkOf, objectProblem } from "./provider-validation.ts";
export { callRouted } from "./registry-call.ts";
export { bindRoutes } from "./registry-routes.ts";

/** What every provider lists. @throws SandboxError `provider_failed` for the first that failed, if that is wanted */
export async function askAll(
  owners: readonly CheckedRegistration[],
  options: Pick<CallOptions, "user" | "signal">,
  { strict }: Pick<ToolRegistryOptions, "strict">,
): Promise<readonly Listing[]> {
  const listings = await Promise.all(owners.map((owner) => list(owner, options)));
  const failed = listings.find((one) => "failed" in one);
  if (strict === true && failed !== undefined) throw failed.failed;
  return listings;
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
    const data = { provider: label };
    return { owner, failed: new SandboxError("provider_failed", message, { cause, data }) };
  }
}

/** The error of a name that nobody owns. */
export function unclaimed(name: string, { byName, problems }: Routes): SandboxError {
  const names = [...byName.keys()];
  const known = names.length === 0 ? "there are no tools" : `there are: ${names.join(", ")}`;
  const failed = problems.map(({ error }) => `; ${error.message}`).join("");
  const message = `no provider has a tool named ${JSON.stringify(name)}; ${known}${failed}`;
  return new SandboxError("unclaimed_tool", message, { data: { tool: name } });
}
