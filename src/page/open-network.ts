// The network of one run: its HTTP door, joined to the worker's files; loaded only by runs that have one; page and Node.

import { createHttpDoor } from "../http/http-door.ts";
import type { HttpRequestRecord } from "../http/request-record.ts";
import { createHttpExchange, type HttpExchange } from "../wire/http-exchange.ts";
import type { RunOptions } from "./run-options.ts";

/** The page's half of a run's HTTP, and its record. */
export interface RunNetwork {
  readonly exchange: HttpExchange;
  readonly requests: readonly HttpRequestRecord[];
}

/** Throws SandboxError `bad_option` for a policy that cannot be. */
export function openNetwork(
  network: NonNullable<RunOptions["network"]>,
  options: RunOptions["http"],
  signal: AbortSignal,
): RunNetwork {
  let requests: readonly HttpRequestRecord[] = [];
  const exchange = createHttpExchange((files) => {
    const door = createHttpDoor({ ...options, network, files, signal });
    requests = door.requests;
    return door;
  });
  return { exchange, requests };
}
