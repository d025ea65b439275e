// Why a page cannot reach a server: browsers say only "failed to fetch", so the server is asked in simpler ways; page and Node.

/** A request that got no answer. */
export interface FailedRequest {
  readonly url: string;
  /** Names and values of the headers that were sent. */
  readonly headers: readonly (readonly [string, string])[];
}

/** Headers that CORS lets through without asking. */
const SAFE = new Set(["accept", "accept-language", "content-language"]);
/** Milliseconds for all questions together. */
const PATIENCE_MS = 5_000;

/** Whether a request from here is judged by CORS. */
export function isCrossOrigin(url: string | URL): boolean {
  const own = (globalThis as { location?: { origin?: string } }).location?.origin;
  return own !== undefined && own !== new URL(url).origin;
}

/**
 * Asks the server what of a request its CORS headers refuse.
 *
 * @returns One sentence that names the missing header, or the other cause as far as it can be known
 */
export async function explainFailure(failed: FailedRequest, send: typeof fetch): Promise<string> {
  const { url } = failed;
  if (!isCrossOrigin(url)) return `the server at ${url} cannot be reached`;
  const origin = (globalThis as unknown as { location: { origin: string } }).location.origin;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answers = async (init: RequestInit): Promise<boolean> => {
    try {
      const response = await send(url, {
        ...init,
        signal,
        redirect: "follow",
        cache: "no-store",
        credentials: "omit",
      });
      await response.body?.cancel();
      return true;
    } catch {
      return false;
    }
  };
  const keeps = `the server at ${url} answers, but its CORS headers keep this page out`;
  const header = `Access-Control-Allow-Origin has to be ${origin} (or *)`;
  if (!(await answers({}))) {
    if (await answers({ mode: "no-cors" })) return `${keeps}: ${header}`;
    const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
    // An isolated page is not even told of answers that CORS keeps from it.
    const also = isolated ? `; or it answers, and its ${header}` : "";
    return (
      `the server at ${url} cannot be reached from this page: it is down, the address is wrong, the page's ` +
      `Content-Security-Policy has no connect-src for it, or a page of https asks a server of http${also}`
    );
  }
  const missing: string[] = [];
  for (const [name, value] of failed.headers) {
    if (SAFE.has(name.toLowerCase())) continue;
    if (!(await answers({ headers: { [name]: value } }))) missing.push(name.toLowerCase());
  }
  return missing.length > 0
    ? `${keeps}: Access-Control-Allow-Headers lacks ${missing.join(", ")}`
    : `the server at ${url} answers simple requests, and not this one`;
}

/** What is said of a server whose session's name this page may not read. */
export function hiddenSession(url: string | URL): string {
  return (
    `the server at ${String(url)} refuses requests without a session, and hides the session's name from this page: ` +
    "Access-Control-Expose-Headers lacks mcp-session-id"
  );
}
