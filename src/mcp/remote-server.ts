// A remote MCP server as a provider keeps it: connections by user, lists while they may be kept, calls; page and Node.

import type { Tool as SdkTool, Transport } from "@modelcontextprotocol/client";
import { SandboxError } from "../errors.ts";
import type { JsonSchemaValidator } from "../json-schema/validator.ts";
import { MCP_TIMEOUT_MS } from "../limits.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import type { ToolResultEnvelope } from "../tools/envelope.ts";
import { entryOfMcpTool, envelopeOfMcpResult, type McpResult } from "../tools/mcp-shapes.ts";
import type { CallOptions, RegistryOptions } from "../tools/provider.ts";
import { headersOfArguments } from "./argument-headers.ts";
import { claimedEnvelope, failure, paramsOf, sessionIsGone } from "./call-outcome.ts";
import { KeptLists } from "./kept-lists.ts";
import { type ListedTool, listServerTools, type ServerList } from "./list-tools.ts";
import {
  connect,
  explained,
  type McpConnection,
  openServer,
  transportOf,
} from "./mcp-connection.ts";
import type { McpToolsOptions } from "./mcp-options.ts";

/** Everything behind `mcpTools()`. */
export class RemoteServer {
  readonly #options: McpToolsOptions;
  readonly #connections = new Map<string, Promise<McpConnection>>();
  readonly #lists: KeptLists;
  readonly #allowed = new Map<string, Promise<boolean>>();
  /** By user: what the last connection was tried over, which knows what the server wanted. */
  readonly #transports = new Map<string, Transport>();

  constructor(options: McpToolsOptions) {
    this.#options = options;
    this.#lists = new KeptLists(options, (user) => this.#ask(user));
  }

  async listTools(asked: Pick<CallOptions, "user" | "signal"> = {}): Promise<readonly ToolEntry[]> {
    const { tools = "*", describe = false } = this.#options;
    if (tools !== "*" && !describe) {
      return tools.map((name) => ({ name, description: "", parameters: { type: "object" } }));
    }
    const { tools: listed } = await this.#lists.get(asked.user);
    return Array.from(listed.values(), ({ tool }) => entryOfMcpTool(tool));
  }

  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions & RegistryOptions = {},
  ): Promise<ToolResultEnvelope> {
    const again = (error: unknown) => sessionIsGone(error) && !options.signal?.aborted;
    try {
      try {
        return await this.#call(name, args, options);
      } catch (error) {
        // A server that started anew has done nothing with the request.
        if (!again(error)) throw error;
        await this.#drop(options.user);
        return await this.#call(name, args, options);
      }
    } catch (error) {
      return failure(error, name, options.signal);
    }
  }

  invalidate(): void {
    this.#lists.forget();
  }

  async finishAuth(callback: URLSearchParams, user: string | undefined): Promise<void> {
    const transport =
      this.#transports.get(this.#userKey(user)) ?? (await this.#freshTransport(user));
    const { finishAuth } = transport as { finishAuth?: (params: URLSearchParams) => Promise<void> };
    if (typeof finishAuth !== "function") {
      throw new SandboxError(
        "bad_option",
        "only a server with url and authProvider can be authorized",
      );
    }
    await finishAuth.call(transport, callback);
    await this.#drop(user);
  }

  /** After a redirect the page is new, and nothing was tried yet. */
  async #freshTransport(user: string | undefined): Promise<Transport> {
    const { observer, url, sdk } = await openServer(this.#options, user);
    return transportOf(sdk, url, observer, this.#options);
  }

  async close(): Promise<void> {
    this.invalidate();
    const open = [...this.#connections.values()];
    this.#connections.clear();
    await Promise.allSettled(open.map(async (one) => (await one).client.close()));
  }

  async #call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions & RegistryOptions,
  ): Promise<ToolResultEnvelope> {
    const { signal, user, validator } = options;
    const known = await this.#definition(name, user);
    const connection = await this.#connection(user, validator);
    const { client, observer, claimed } = connection;
    const headers = await this.#headers(connection, known, args);
    const { timeoutMs = this.#options.timeoutMs ?? MCP_TIMEOUT_MS, onProgress } = options;
    try {
      const result = await client.callTool(paramsOf(name, args, options), {
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: onProgress as never }),
        ...(options.allowInputRequired === true ? { allowInputRequired: true } : {}),
        ...(known === undefined ? {} : { toolDefinition: known.tool as SdkTool }),
        ...(headers === undefined ? {} : { headers }),
      });
      return envelopeOfMcpResult(result as McpResult, name);
    } catch (error) {
      const kept = options.allowClaimed === true ? claimed.get(args) : undefined;
      if (kept !== undefined) return claimedEnvelope(kept as Record<string, unknown>, name);
      throw await explained(error, observer);
    }
  }

  /**
   * The tool as it was listed last, where lists are asked for; the SDK checks results by its schema. How long a list may
   * be shown to callers is another matter.
   */
  async #definition(name: string, user: string | undefined): Promise<ListedTool | undefined> {
    const { tools = "*", describe = false } = this.#options;
    if (tools !== "*" && !describe) return undefined;
    const last = await this.#lists.last(user);
    return last?.tools.get(name) ?? (await this.#lists.get(user)).tools.get(name);
  }

  async #headers(
    { modern, observer }: McpConnection,
    known: ListedTool | undefined,
    args: unknown,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    const { argumentHeaders = "auto", transport } = this.#options;
    if (
      !modern ||
      known === undefined ||
      argumentHeaders === false ||
      typeof transport === "function"
    )
      return undefined;
    const headers = headersOfArguments(known.headers, args);
    const names = Object.keys(headers);
    if (names.length === 0) return undefined;
    if (argumentHeaders === true) return headers;
    const key = names.join("\n").toLowerCase();
    let allowed = this.#allowed.get(key);
    if (allowed === undefined) this.#allowed.set(key, (allowed = observer.allows(names)));
    return (await allowed) ? headers : undefined;
  }

  #userKey(user: string | undefined): string {
    const { headers, cacheScope } = this.#options;
    const personal = typeof headers === "function" || cacheScope === "private";
    return personal ? (user ?? "") : "";
  }

  #connection(
    user: string | undefined,
    validator?: RegistryOptions["validator"],
  ): Promise<McpConnection> {
    const key = this.#userKey(user);
    let connection = this.#connections.get(key);
    if (connection === undefined) {
      const made = this.#connect(user, validator);
      connection = made;
      this.#connections.set(key, made);
      const forget = (): void => {
        if (this.#connections.get(key) === made) this.#connections.delete(key);
      };
      made.then(({ client }) => {
        // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no EventTarget
        client.onclose = forget;
      }, forget);
    }
    return connection;
  }

  async #connect(
    user: string | undefined,
    source: RegistryOptions["validator"],
  ): Promise<McpConnection> {
    const validator = typeof source === "function" ? await source() : source;
    const own =
      validator ?? (await import("../json-schema/cfworker-validator.ts")).cfworkerValidator;
    const keep = (transport: Transport): void =>
      void this.#transports.set(this.#userKey(user), transport);
    const connection = await connect(this.#options, own as JsonSchemaValidator, user, keep);
    connection.client.setNotificationHandler("notifications/tools/list_changed", () =>
      this.invalidate(),
    );
    return connection;
  }

  async #drop(user: string | undefined): Promise<void> {
    const key = this.#userKey(user);
    const connection = this.#connections.get(key);
    this.#connections.delete(key);
    await connection?.then(({ client }) => client.close()).catch(() => {});
  }

  /** Whoever asks shares the answer, so that nobody's signal ends it. */
  async #ask(user: string | undefined): Promise<ServerList> {
    const { followPagination = true, timeoutMs = MCP_TIMEOUT_MS } = this.#options;
    const ask = async (): Promise<ServerList> => {
      const { client, modern, observer } = await this.#connection(user);
      try {
        return await listServerTools({ client, modern, followPagination, timeoutMs });
      } catch (error) {
        throw await explained(error, observer);
      }
    };
    try {
      return await ask();
    } catch (error) {
      if (!sessionIsGone(error)) throw error;
      await this.#drop(user);
      return ask();
    }
  }
}
