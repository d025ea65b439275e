// Lists of a server's tools, for as long as they may be kept, by user; page and Node.

import type { ServerList } from "./list-tools.ts";
import type { McpToolsOptions } from "./mcp-options.ts";

interface KeptList {
  readonly list: Promise<ServerList>;
  /** `performance.now()` until which it may be shown; known once the server has answered. */
  until: number;
}

/** What was listed, and for how long it counts: by the caller's wish, else the server's, else until it is forgotten. */
export class KeptLists {
  readonly #options: Pick<McpToolsOptions, "cacheTtlMs" | "cacheScope">;
  readonly #ask: (user: string | undefined) => Promise<ServerList>;
  readonly #kept = new Map<string, KeptList>();

  constructor(
    options: Pick<McpToolsOptions, "cacheTtlMs" | "cacheScope">,
    ask: (user: string | undefined) => Promise<ServerList>,
  ) {
    this.#options = options;
    this.#ask = ask;
  }

  /** The list, asked for if none may be shown. */
  get(user: string | undefined): Promise<ServerList> {
    const key = this.#key(user);
    const kept = this.#kept.get(key);
    if (kept !== undefined && performance.now() < kept.until) return kept.list;
    const { cacheTtlMs } = this.#options;
    const asked = performance.now();
    const entry: KeptList = { list: this.#ask(user), until: Infinity };
    this.#kept.set(key, entry);
    const drop = (): void => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    };
    entry.list.then(({ keptUntil }) => {
      entry.until = cacheTtlMs === undefined ? (keptUntil ?? Infinity) : asked + cacheTtlMs;
    }, drop);
    return entry.list;
  }

  /** The list that was seen last, however old; undefined before the first. */
  async last(user: string | undefined): Promise<ServerList | undefined> {
    return this.#kept.get(this.#key(user))?.list;
  }

  forget(): void {
    this.#kept.clear();
  }

  #key(user: string | undefined): string {
    return this.#options.cacheScope === "public" ? "" : (user ?? "");
  }
}
