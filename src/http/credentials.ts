// Credentials that the page adds per origin: checked once, resolved per hop, never shown to a guest; page, worker, Node.

import { SandboxError } from "../errors.ts";
import { parseDestination } from "./destination.ts";
import { HttpFailure } from "./http-failure.ts";
import {
  isBrowserHeader,
  isConnectionHeader,
  isHeaderName,
  isHeaderValue,
} from "./request-headers.ts";

/** A header that the page sets on every request to one origin. */
export interface CredentialOption {
  /** `https://api.example.com`, with the port when it is not 443. */
  readonly origin: string;
  /** The header's name, such as `authorization`. */
  readonly header: string;
  /** The header's whole value, such as `Bearer …`; a function is asked for every request, and may refresh a token. */
  readonly value: string | (() => string | Promise<string>);
}

/** A checked credential. */
export interface Credential {
  /** Lower case. */
  readonly header: string;
  readonly value: CredentialOption["value"];
}

/** Checks the page's credentials, by origin. Throws {@link SandboxError} `bad_option`; no message holds a value. */
export function compileCredentials(
  options: readonly CredentialOption[],
): ReadonlyMap<string, readonly Credential[]> {
  const byOrigin = new Map<string, Credential[]>();
  for (const { origin, header, value } of options) {
    const parsed = parseOrigin(origin);
    if (typeof header !== "string") throw badOption("a credential's header is a string");
    const name = header.toLowerCase();
    if (!isHeaderName(name) || isConnectionHeader(name) || isBrowserHeader(name)) {
      throw badOption(`${JSON.stringify(header)} is not a header that a page can set`);
    }
    if (typeof value !== "function" && !usable(value)) {
      throw badOption(`the credential ${name} of ${parsed} is not a header value: printable ASCII`);
    }
    const list = byOrigin.get(parsed) ?? [];
    list.push({ header: name, value });
    byOrigin.set(parsed, list);
  }
  return byOrigin;
}

/**
 * Refuses a guest's header that a credential of this origin sets, in any case. Throws {@link HttpFailure}
 * `credential_header`.
 */
export function refuseCredentialHeaders(
  names: Iterable<string>,
  credentials: readonly Credential[],
): void {
  for (const name of names) {
    const lower = name.toLowerCase();
    if (credentials.some(({ header }) => header === lower)) {
      throw new HttpFailure(
        "credential_header",
        `the page sets ${lower} for this host; leave it out of the request's headers`,
      );
    }
  }
}

/**
 * The values to send to one origin, by header. Throws {@link HttpFailure} `credential_unavailable` when a header has
 * several credentials, or one whose value cannot be had.
 */
export async function resolveCredentials(
  credentials: readonly Credential[],
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { header, value } of credentials) {
    if (values.has(header)) throw unavailable(header, "several credentials to choose from");
    // One after the other: a page that asks its user for two values should not ask at once.
    // oxlint-disable-next-line no-await-in-loop
    const resolved = typeof value === "function" ? await ask(header, value) : value;
    if (!usable(resolved)) throw unavailable(header, "no usable value");
    values.set(header, resolved.trim());
  }
  return values;
}

async function ask(header: string, value: () => string | Promise<string>): Promise<string> {
  try {
    return await value();
  } catch {
    // What was thrown is the page's, and may hold the secret.
    throw unavailable(header, "no value at the moment");
  }
}

function usable(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && isHeaderValue(value);
}

function unavailable(header: string, why: string): HttpFailure {
  return new HttpFailure(
    "credential_unavailable",
    `the page has ${why} for the header ${header} of this host; its author has to set one`,
  );
}

function parseOrigin(origin: string): string {
  try {
    const { url } = parseDestination(origin);
    if (url.pathname === "/" && url.search === "") return url.origin;
  } catch {
    // Said below, in the page's terms.
  }
  throw badOption(`${JSON.stringify(origin)} is not an https origin that a guest could reach`);
}

function badOption(message: string): SandboxError {
  return new SandboxError("bad_option", message);
}
