// The fetch that a connection uses: adds headers, and remembers what is needed to explain a failure; page and Node.

import {
  explainFailure,
  type FailedRequest,
  hiddenSession,
  isCrossOrigin,
} from "./explain-failure.ts";

/** Headers of every request: fixed, or asked for each time (a token that expires). */
export type HeadersOption =
  | Readonly<Record<string, string>>
  | ((context: { readonly user: string | undefined }) => HeaderRecord | Promise<HeaderRecord>);

type HeaderRecord = Readonly<Record<string, string>>;

/** What {@link HttpObserver} needs. */
export interface ObserverParts {
  readonly url: string;
  readonly headers: HeadersOption | undefined;
  readonly user: string | undefined;
  readonly fetch: typeof fetch;
}

/** One connection's requests. */
export class HttpObserver {
  readonly #parts: ObserverParts;
  #failed: FailedRequest | undefined;
  /** The server began a session, if any, whose name cannot be read. */
  #hidesSession = false;
  #refused = false;

  constructor(parts: ObserverParts) {
    this.#parts = parts;
  }

  readonly fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const headers = new Headers(input instanceof Request ? input.headers : undefined);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const own = await this.#ownHeaders();
    for (const [name, value] of Object.entries(own))
      if (!headers.has(name)) headers.set(name, value);
    let response: Response;
    try {
      response = await this.#parts.fetch(input, { ...init, headers });
    } catch (error) {
      const url = input instanceof Request ? input.url : String(input);
      if (error instanceof TypeError) this.#remember(url, headers);
      throw error;
    }
    if (response.ok) this.#failed = undefined;
    this.#look(init, response);
    return response;
  };

  /**
   * A client that got no answer tries the older protocol, whose requests have fewer headers: what is missing is missing
   * for all that failed.
   */
  #remember(url: string, headers: Headers): void {
    const before = this.#failed?.headers ?? [];
    this.#failed = { url, headers: [...new Map([...before, ...headers])] };
  }

  async #ownHeaders(): Promise<HeaderRecord> {
    const { headers, user } = this.#parts;
    return typeof headers === "function" ? headers({ user }) : (headers ?? {});
  }

  #look({ body }: RequestInit, { ok, status, headers }: Response): void {
    if (typeof body !== "string" || !isCrossOrigin(this.#parts.url)) return;
    if (ok && body.includes('"method":"initialize"')) {
      this.#hidesSession = !headers.has("mcp-session-id");
    } else if (!ok) this.#refused = status === 400 || status === 404;
  }

  /** Why the last request failed, where a browser would not say; undefined when there is nothing to add. */
  async explain(): Promise<string | undefined> {
    if (this.#failed !== undefined) return explainFailure(this.#failed, this.#parts.fetch);
    return this.#hidesSession && this.#refused ? hiddenSession(this.#parts.url) : undefined;
  }

  /** Whether the server lets this page send some headers; asked with a harmless request. */
  async allows(names: readonly string[]): Promise<boolean> {
    const { url } = this.#parts;
    if (!isCrossOrigin(url)) return true;
    try {
      const headers = Object.fromEntries(names.map((name) => [name, "x"]));
      const response = await this.#parts.fetch(url, {
        method: "GET",
        headers,
        credentials: "omit",
      });
      await response.body?.cancel();
      return true;
    } catch {
      return false;
    }
  }
}
