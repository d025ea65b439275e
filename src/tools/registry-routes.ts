// Who owns which tool name: explicit claims before stars, conflicts as errors that name both owners; page, worker and Node.

import { SandboxError } from "../errors.ts";
import type { ToolEntry } from "./contract-tool.ts";
import type { CheckedRegistration, ToolRegistryOptions } from "./registry-options.ts";

/** A tool and who answers for it. */
export interface Route {
  readonly owner: CheckedRegistration;
  /** As callers see it: its name with the prefix. */
  readonly entry: ToolEntry;
  /** The provider's own name for it. */
  readonly innerName: string;
}

/** Something that did not stop the others. */
export interface RegistryProblem {
  /** The provider's name. */
  readonly provider: string;
  readonly error: SandboxError;
}

/** What one provider listed, or why it did not. */
export type Listing =
  | { readonly owner: CheckedRegistration; readonly listed: readonly unknown[] }
  | FailedListing;

/** A provider that could not list. */
export interface FailedListing {
  readonly owner: CheckedRegistration;
  readonly failed: SandboxError;
}

/** Who owns what, as far as providers answered. */
export interface Routes {
  /** In the order of the providers and of their lists. */
  readonly byName: ReadonlyMap<string, Route>;
  readonly problems: readonly RegistryProblem[];
  /** Owners of explicit names that could not list; nobody else may have those. */
  readonly reserved: ReadonlyMap<string, FailedListing>;
}

/**
 * Binds names to owners:
 * 1. what a provider claims by name is its own, and it has to list it;
 * 2. two such claims on one name are a conflict;
 * 3. a provider that claims `"*"` owns what it lists and nobody claims by name; two such providers are a conflict;
 * 4. the page's own tools under `"*"` take what is left; with `claimLocal`, beside others, only if that `"*"` was said.
 *
 * @throws SandboxError `tool_conflict`, `tool_unavailable`, `unclaimed_tool`
 */
export function bindRoutes(
  listings: readonly Listing[],
  { claimLocal }: Pick<ToolRegistryOptions, "claimLocal"> = {},
): Routes {
  const problems: RegistryProblem[] = [];
  const read = listings.map((listing) => ({ listing, routes: readListing(listing, problems) }));
  const binder = new Binder();
  for (const one of read) binder.bindClaims(one);
  const stars = read.filter(({ listing }) => isStar(listing.owner));
  const isLocal = ({ listing }: Read) => listing.owner.provider.local === true;
  for (const one of stars.filter((star) => !isLocal(star))) binder.bindStar(one, false);
  const claimed = claimLocal === true && !read.every(isLocal);
  for (const one of stars.filter(isLocal)) {
    if (claimed && one.listing.owner.claims === undefined) binder.bindTalk(one);
    else binder.bindStar(one, true);
  }
  const ordered = read.flatMap(({ routes }) => [...routes.values()]).filter(binder.owns);
  const byName = new Map(ordered.map((route) => [route.entry.name, route]));
  return { byName, problems, reserved: binder.reserved };
}

/** Every agent has these from its page, whoever else serves it. */
const TALK: ReadonlySet<string> = new Set(["request_human_input", "inform_user"]);

interface Read {
  readonly listing: Listing;
  readonly routes: ReadonlyMap<string, Route>;
}

class Binder {
  readonly reserved = new Map<string, FailedListing>();
  readonly #owners = new Map<string, CheckedRegistration>();

  readonly owns = ({ entry, owner }: Route): boolean => this.#owners.get(entry.name) === owner;

  bindClaims({ listing, routes }: Read): void {
    const { owner } = listing;
    if (isStar(owner)) return;
    for (const claimed of new Set(owner.claims)) {
      const name = owner.prefix + claimed;
      const other = this.#owners.get(name);
      if (other !== undefined) throw conflict(name, other, owner);
      this.#owners.set(name, owner);
      if ("failed" in listing) this.reserved.set(name, listing);
      else if (!routes.has(name)) throw unavailable(claimed, owner);
    }
  }

  /** Tools of the page that nobody claimed: those by which an agent talks with its person, and no others. */
  bindTalk({ listing: { owner }, routes }: Read): void {
    const left = [...routes.keys()].filter((name) => !this.#owners.has(name));
    const unclaimed = left.filter((name) => !TALK.has(name));
    if (unclaimed.length > 0) throw leftOver(unclaimed, owner);
    for (const name of left) this.#owners.set(name, owner);
  }

  bindStar({ listing: { owner }, routes }: Read, local: boolean): void {
    for (const name of routes.keys()) {
      const other = this.#owners.get(name);
      if (other === undefined) this.#owners.set(name, owner);
      else if (isStar(other) && (other.provider.local === true) === local) {
        throw conflict(name, other, owner);
      }
    }
  }
}

function isStar({ claims }: CheckedRegistration): boolean {
  return (claims ?? "*") === "*";
}

function readListing(listing: Listing, problems: RegistryProblem[]): ReadonlyMap<string, Route> {
  const { owner } = listing;
  const routes = new Map<string, Route>();
  if ("failed" in listing) {
    problems.push({ provider: owner.label, error: listing.failed });
    return routes;
  }
  for (const value of listing.listed) {
    const entry = readEntry(value);
    const problem =
      entry === undefined
        ? "lists something that is no tool: it has to have a name and parameters"
        : routes.has(owner.prefix + entry.name)
          ? `lists ${entry.name} twice; the first counts`
          : undefined;
    if (entry === undefined || problem !== undefined) {
      const error = new SandboxError("provider_failed", `${owner.label} ${problem ?? ""}`);
      problems.push({ provider: owner.label, error });
      continue;
    }
    const exposed = owner.prefix === "" ? entry : { ...entry, name: owner.prefix + entry.name };
    routes.set(exposed.name, { owner, entry: exposed, innerName: entry.name });
  }
  return routes;
}

function readEntry(value: unknown): ToolEntry | undefined {
  const { name, description, parameters } = (value ?? {}) as Partial<ToolEntry>;
  if (typeof name !== "string" || name === "") return undefined;
  if (typeof parameters !== "object" || parameters === null) return undefined;
  return typeof description === "string"
    ? (value as ToolEntry)
    : { ...(value as ToolEntry), description: "" };
}

function leftOver(names: readonly string[], { label }: CheckedRegistration): SandboxError {
  return new SandboxError(
    "unclaimed_tool",
    `${label} lists ${names.join(", ")}, and beside other providers its tools have to be claimed (claims)`,
    { data: { tool: names[0], tools: names, provider: label } },
  );
}

function unavailable(name: string, { label }: CheckedRegistration): SandboxError {
  return new SandboxError(
    "tool_unavailable",
    `${label} was given the tool ${JSON.stringify(name)}, and does not list it`,
    { data: { tool: name, provider: label } },
  );
}

function conflict(name: string, a: CheckedRegistration, b: CheckedRegistration): SandboxError {
  return new SandboxError(
    "tool_conflict",
    `the tool ${JSON.stringify(name)} is owned by ${a.label} and by ${b.label}; give one of them a prefix, or say by ` +
      "name what each may own (claims)",
    { data: { tool: name, owners: [a.label, b.label] } },
  );
}
