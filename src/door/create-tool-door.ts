// createToolDoor(): the host of tool protocol v1, request bytes in, answer bytes out; page, worker and Node.

import type { ContractTool } from "../tools/contract-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { Budget } from "./budget.ts";
import type { CallRecord } from "./call-record.ts";
import type { Server } from "./server.ts";
import { checkDoorOptions, servedTools, type ToolDoorOptions } from "./tool-door-options.ts";

export type { ToolDoorOptions } from "./tool-door-options.ts";

const FAILED =
  '{"v":1,"id":null,"ok":false,"error":{"kind":"tool_error","message":"the host failed (internal error)"}}';

/** The code that judges frames is loaded by the first door: a page that only makes tools need not have it. */
let Loaded: typeof Server | undefined;

async function load(): Promise<typeof Server> {
  return (Loaded = (await import("./server.ts")).Server);
}

/** A door that serves tools. */
export interface ToolDoor {
  /** Answers one frame. Never throws and never rejects. The request is read before `call` returns. */
  call(request: Uint8Array): Promise<Uint8Array>;
  /** Answers a frame of which only the length is known, because it was too long to be copied. */
  tooLarge(length: number): Promise<Uint8Array>;
  /** The record of calls, oldest first; grows while the door is used. */
  readonly calls: readonly CallRecord[];
}

/**
 * Serves tools by tool protocol v1. One door serves one run: its budget and record are the run's.
 *
 * @throws SandboxError `bad_tool` for two tools of one name, something that neither tool() nor contractTool() made, or a
 * contract tool that does not fit the protocol; `bad_option`
 * @example
 * const door = createToolDoor([lookupRegion], { gate: async (call) => confirm(call.name) });
 * const answer = await door.call(new TextEncoder().encode('{"v":1,"id":1,"op":"list"}'));
 */
export function createToolDoor(
  tools: Iterable<Tool | ContractTool>,
  options: ToolDoorOptions = {},
): ToolDoor {
  checkDoorOptions(options);
  const given = { ...options, budget: new Budget(options.budget), calls: [] as CallRecord[] };
  const served = servedTools(tools);
  let server = Loaded && new Loaded(served, given);
  const loading = server ? undefined : load().then((Room) => (server = new Room(served, given)));
  loading?.catch(() => {}); // each call says so

  const answer = async (ask: (server: Server) => Uint8Array | Promise<Uint8Array>) => {
    try {
      return await ask(server ?? (await loading)!);
    } catch {
      // The code could not be loaded, or something unknown: a guest that waits must have its answer.
      return new TextEncoder().encode(FAILED);
    }
  };
  return {
    call: (request) => {
      const own = server || !(request instanceof Uint8Array) ? request : request.slice();
      return answer((ready) => ready.serve(own));
    },
    tooLarge: (length) => answer((ready) => ready.tooLarge(length)),
    calls: given.calls,
  };
}
