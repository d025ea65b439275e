// The lines that a package is asked with: MCP 2026-07-28 over stdio, one JSON-RPC message a line; page and Node.

/** The protocol revision of ABI 1. */
export const REVISION = "2026-07-28";

/** Who asks: carried in every request's `_meta`. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** A request and the id its answer has to echo. */
export interface Request {
  readonly id: string;
  /** Compact JSON and "\n". */
  readonly line: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();

/** Makes requests. Their ids differ every time. */
export class RequestMaker {
  readonly #client: ClientInfo;

  constructor(client: ClientInfo) {
    this.#client = client;
  }

  discover(): Request {
    return this.#request("discover", "server/discover", {}, undefined);
  }

  /** The first page, or the one that a cursor names; the empty string is a cursor, too. */
  listTools(cursor?: string): Request {
    return this.#request("list", "tools/list", cursor === undefined ? {} : { cursor }, undefined);
  }

  /** `meta` goes beside the protocol's own keys, which it cannot replace. */
  callTool(name: string, args: unknown, meta?: Readonly<Record<string, unknown>>): Request {
    return this.#request("call", "tools/call", { name, arguments: args }, meta);
  }

  #request(
    prefix: string,
    method: string,
    params: object,
    meta: Readonly<Record<string, unknown>> | undefined,
  ): Request {
    const id = `${prefix}-${randomHex()}`;
    const _meta = {
      ...meta,
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientInfo": this.#client,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
    return { id, line: encoder.encode(`${JSON.stringify(message)}\n`) };
  }
}

const random = new Uint32Array(128);
let used = random.length;

/** Not randomUUID: pages without https have none. Many at once, since asking takes longer than all else here. */
function randomHex(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const [high, low] = [random[used++]!, random[used++]!];
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
