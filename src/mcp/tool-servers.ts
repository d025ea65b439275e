// toolServers(): where servers live and how they are reached, read from a ToolServerRegistry; page and Node.

import { SandboxError } from "../errors.ts";
import type { ToolProvider } from "../tools/provider.ts";
import type { Registration } from "../tools/registry-options.ts";
import { checkToolServerRegistry } from "./config-validators.generated.ts";
import type { McpToolsOptions } from "./mcp-options.ts";
import { mcpTools } from "./mcp-tools.ts";
import { badConfig, type ConfigCheck, type ConfigSource, readConfig } from "./read-config.ts";

/** Gives the value of `env:NAME`; undefined where there is none. */
export type Secrets = (name: string) => string | undefined | Promise<string | undefined>;

/** Options of {@link toolServers}. */
export interface ToolServersOptions {
  /** Resolves `env:NAME` in headers, each time they are sent, and in addresses. Default: nothing is known. */
  readonly secrets?: Secrets;
  /** Providers that stand in for stdio servers, by id: function packages, for instance. */
  readonly packages?: Readonly<Record<string, ToolProvider>>;
  /** Further options of every server. */
  readonly options?: Pick<
    McpToolsOptions,
    "fetch" | "clientInfo" | "capabilities" | "configure" | "argumentHeaders"
  >;
}

/** An entry of `spec.tool_servers`. */
interface ToolServer {
  readonly id: string;
  readonly protocol: string;
  readonly name?: string;
  readonly usage?: "use" | "deploy" | "use-and-deploy";
  readonly transport?: "stdio" | "streamable-http" | "sse" | "http";
  readonly url?: string;
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly command?: string;
  readonly follow_pagination?: boolean;
  readonly cache_ttl_ms?: number;
  readonly cache_scope?: "public" | "private";
  readonly tools?: "*" | readonly string[];
}

/**
 * Reads a ToolServerRegistry (`infra/v1`) and gives what `toolRegistry()` takes, one for each server that is meant for
 * use. A server that no page can run (`command`) is a provider whose listing fails with the reason, unless `packages`
 * has one for its id, so that the others work.
 *
 * @throws SandboxError `bad_config` with the place in `data.path`
 * @example
 * const servers = await toolServers(await (await fetch("/servers.yaml")).text(), {
 *   secrets: (name) => sessionStorage.getItem(name) ?? undefined,
 *   packages: { greeter: await loadPackage("/greeter.tar.gz") },
 * });
 * const registry = toolRegistry([localTools(lookupRegion), ...servers]);
 */
export async function toolServers(
  config: ConfigSource,
  options: ToolServersOptions = {},
): Promise<Registration[]> {
  const what = "the tool server registry";
  const check = checkToolServerRegistry as ConfigCheck;
  const read = await readConfig<{ spec: { tool_servers: readonly ToolServer[] } }>(
    what,
    config,
    check,
  );
  const ids = new Set<string>();
  const found: Registration[] = [];
  for (const [index, server] of read.spec.tool_servers.entries()) {
    const path = `/spec/tool_servers/${index}`;
    if (ids.has(server.id))
      throw badConfig(`${what} at ${path}/id has ${server.id} twice`, `${path}/id`);
    ids.add(server.id);
    if (server.usage === "deploy") continue;
    if (server.protocol !== "mcp") {
      throw badConfig(`${what} at ${path}/protocol has to be mcp`, `${path}/protocol`);
    }
    found.push(await registrationOf(server, path, options));
  }
  return found;
}

async function registrationOf(
  server: ToolServer,
  path: string,
  options: ToolServersOptions,
): Promise<Registration> {
  const { id, tools = "*" } = server;
  const own = options.packages;
  const stdio =
    server.transport === "stdio" ||
    (server.command !== undefined && server.transport === undefined);
  if (stdio && own !== undefined && Object.hasOwn(own, id)) {
    return { provider: own[id] as ToolProvider, name: id, claims: tools };
  }
  const provider = stdio ? notInBrowser(server) : await remoteServer(server, path, options);
  return { provider, name: id, claims: tools };
}

/** A page cannot start programs. */
function notInBrowser({ id, command = "" }: ToolServer): ToolProvider {
  const error = new SandboxError(
    "unsupported",
    `the server ${id} is a program (${command}), and programs do not run in a browser; give a function package for it ` +
      "in packages, or an address where it is served",
    { data: { server: id } },
  );
  const fail = (): never => {
    throw error;
  };
  return { name: id, listTools: fail, callTool: fail };
}

async function remoteServer(
  server: ToolServer,
  path: string,
  { secrets = () => undefined, options = {} }: ToolServersOptions,
): Promise<ToolProvider> {
  const address = server.url ?? server.endpoint;
  if (address === undefined)
    throw badConfig(`the tool server registry at ${path} has neither url nor endpoint`, path);
  const url = await resolve(address, secrets);
  const { id, headers, transport = "streamable-http", timeout, tools } = server;
  const scope = server.cache_scope;
  try {
    return mcpTools({
      ...options,
      url: url ?? "",
      name: id,
      transport: transport as "streamable-http",
      ...(headers === undefined ? {} : { headers: () => resolveAll(headers, secrets) }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      ...(server.follow_pagination === undefined
        ? {}
        : { followPagination: server.follow_pagination }),
      ...(server.cache_ttl_ms === undefined ? {} : { cacheTtlMs: server.cache_ttl_ms }),
      ...(scope === undefined ? {} : { cacheScope: scope }),
      ...(tools === undefined ? {} : { tools }),
    });
  } catch (cause) {
    throw badConfig(
      `the tool server registry at ${path} is wrong: ${(cause as Error).message}`,
      path,
      cause,
    );
  }
}

/** Headers whose secret is unset are left out. */
async function resolveAll(
  headers: Readonly<Record<string, string>>,
  secrets: Secrets,
): Promise<Record<string, string>> {
  const resolved: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = await resolve(value, secrets);
    if (text !== undefined) resolved[name] = text;
  }
  return resolved;
}

/** `env:NAME` and `env:NAME|default`; anything else means itself. */
async function resolve(value: string, secrets: Secrets): Promise<string | undefined> {
  const reference = /^env:([^|]+)(?:\|([^]*))?$/.exec(value);
  if (reference === null) return value;
  return (await secrets(reference[1] ?? "")) ?? reference[2];
}
