// Fetches a wheel from an address that the page allows; page.
import { allowedOrigins } from "./allowed-origins.ts";

const TIMEOUT_MS = 60_000;

/** Rejects with words for a person. Nothing of the reader goes along: no cookies, no referrer. */
export async function fetchWheel(address: string): Promise<Response> {
  if (!URL.canParse(address, document.baseURI)) throw new Error(`${address} is no address.`);
  const url = new URL(address, document.baseURI);
  if (!allowedOrigins().includes(url.origin)) {
    throw new Error(`${url.origin} is not on this page's list of allowed addresses.`);
  }
  try {
    return await fetch(url, {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    const late = error instanceof DOMException && error.name === "TimeoutError";
    const reason = late ? "it took too long" : "it is out of reach, or lets no other page read it";
    throw new Error(`${url.href} did not come: ${reason}.`, { cause: error });
  }
}
