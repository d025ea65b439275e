// The page's egress policy: which hosts a guest may reach, closed by default; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { compileCredentials, type Credential, type CredentialOption } from "./credentials.ts";
import { parseDestination, type Destination } from "./destination.ts";
import { displayHost } from "./display-host.ts";
import { HttpFailure } from "./http-failure.ts";

/** A host that a guest may reach. */
export interface HostOption {
  /** `api.example.com`, or `*.example.com` for every name below it (not itself). International names as punycode. */
  readonly host: string;
  /** 443 when absent. */
  readonly port?: number;
  /**
   * Let the browser follow this host's redirects. A page cannot check the hops, only where they ended: a request may
   * reach a host that is not listed. Without it a redirect is refused, unless there is a `transport`.
   */
  readonly redirects?: "trusted";
}

/** What a guest may reach, and what the page adds to its requests. Without `allow` entries: nothing. */
export interface NetworkOptions {
  /** Hosts; a string is a host, or `host:port`. */
  readonly allow: readonly (string | HostOption)[];
  readonly credentials?: readonly CredentialOption[];
}

/** A destination the policy admits. */
export interface Admitted extends Destination {
  readonly trustedRedirects: boolean;
}

/** The policy, ready to judge. */
export interface NetworkPolicy {
  /**
   * Judges a URL, or a Location against the URL it came from. Throws an HttpFailure: `invalid_request`,
   * `forbidden_destination` or `host_not_allowed`.
   */
  admit(url: string, base?: URL): Admitted;
  credentialsFor(origin: string): readonly Credential[];
}

interface Entry {
  readonly host: string;
  /** Matches names that end in `.host`. */
  readonly below: boolean;
  readonly port: number;
  readonly trusted: boolean;
}

/** Checks the page's options and builds the policy. Throws {@link SandboxError} `bad_option`. */
export function createNetworkPolicy(options: NetworkOptions): NetworkPolicy {
  if (typeof options !== "object" || options === null || !Array.isArray(options.allow)) {
    throw badOption("network is { allow: [...] }: a list of hosts, empty for none");
  }
  const entries = options.allow.map((entry) => compileEntry(entry));
  const credentials = compileCredentials(options.credentials ?? []);
  return {
    admit(url, base) {
      const destination = parseDestination(url, base);
      const matching = entries.filter((entry) => matches(entry, destination));
      if (matching.length === 0) throw notAllowed(destination);
      return { ...destination, trustedRedirects: matching.some((entry) => entry.trusted) };
    },
    credentialsFor: (origin) => credentials.get(origin) ?? [],
  };
}

function matches(entry: Entry, { host, port }: Destination): boolean {
  if (entry.port !== port) return false;
  return entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host;
}

function notAllowed({ host, port }: Destination): HttpFailure {
  const name = port === 443 ? displayHost(host) : `${displayHost(host)} port ${port}`;
  return new HttpFailure("host_not_allowed", `${name} is not in the page's network allowlist`);
}

function compileEntry(option: string | HostOption): Entry {
  const { host, port, redirects } = typeof option === "string" ? splitPort(option) : option;
  if (typeof host !== "string") throw badOption("an allowed host is a string");
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535)) {
    throw badOption(`${JSON.stringify(host)}: a port is a whole number from 1 to 65535`);
  }
  if (redirects !== undefined && redirects !== "trusted") {
    throw badOption(`${JSON.stringify(host)}: redirects is "trusted" or absent`);
  }
  const below = host.startsWith("*.");
  const name = canonicalName(below ? host.slice(2) : host, host);
  return { host: name, below, port: port ?? 443, trusted: redirects === "trusted" };
}

function splitPort(text: string): HostOption {
  const found = /^(.*):([0-9]{1,5})$/.exec(text);
  return found ? { host: found[1]!, port: Number(found[2]) } : { host: text };
}

/** An entry goes through the same parser as a guest's URL, and has to come out as it went in. */
function canonicalName(name: string, shown: string): string {
  let host: string;
  try {
    host = parseDestination(`https://${name}/`).host;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badOption(`${JSON.stringify(shown)} cannot be allowed: ${why}`);
  }
  const given = name.toLowerCase();
  if (host === given || `${host}.` === given) return host;
  throw badOption(`${JSON.stringify(shown)} cannot be allowed: did you mean ${displayHost(host)}?`);
}

function badOption(message: string): SandboxError {
  return new SandboxError("bad_option", message);
}
