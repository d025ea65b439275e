// createToolDoor(): the host of tool protocol v1, request bytes in, answer bytes out; page, worker and Node.

import type { ContractTool } from "../tools/contract-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { type AnswerFrame, frameBytes } from "./answer.ts";
import { Budget } from "./budget.ts";
import type { CallRecord } from "./call-record.ts";
import type { Server } from "./server.ts";
import { checkDoorOptions, servedTools, type ToolDoorOptions } from "./tool-door-options.ts";

export type { ToolDoorOptions } from "./tool-door-options.ts";

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
  const door = openToolDoor(tools, options);
  const bytes = async (answer: () => AnswerFrame | Promise<AnswerFrame>) => {
    try {
      return frameBytes(await answer());
    } catch {
      // The code could not be loaded, or something unknown: a guest that waits must have its answer.
      return frameBytes(FAILED);
    }
  };
  return {
    call: (request) => bytes(() => door.serve(request)),
    tooLarge: (length) => bytes(() => door.tooLarge(length)),
    calls: door.calls,
  };
}

const FAILED =
  '{"v":1,"id":null,"ok":false,"error":{"kind":"tool_error","message":"the host failed (internal error)"}}';

/** A door as a run uses it: it answers at once where it can, and rejects only when its code cannot be loaded. */
export interface FrameDoor {
  /** Answers one frame, which is read before `serve` returns. */
  serve(request: Uint8Array): AnswerFrame | Promise<AnswerFrame>;
  tooLarge(length: number): AnswerFrame | Promise<AnswerFrame>;
  readonly calls: readonly CallRecord[];
}

/** As {@link createToolDoor}; `ownSignal`: the signal ends with the run. */
export function openToolDoor(
  tools: Iterable<Tool | ContractTool>,
  options: ToolDoorOptions,
  ownSignal = false,
): FrameDoor {
  checkDoorOptions(options);
  const calls: CallRecord[] = [];
  const given = { ...options, budget: new Budget(options.budget), calls, ownSignal };
  const served = servedTools(tools);
  let server = Loaded && new Loaded(served, given);
  const loading = server ? undefined : load().then((Room) => (server = new Room(served, given)));
  loading?.catch(() => {}); // each call says so

  return {
    serve: (request) => {
      if (server) return server.serve(request);
      const own = request instanceof Uint8Array ? request.slice() : request;
      return loading!.then((ready) => ready.serve(own));
    },
    tooLarge: (length) =>
      server ? server.tooLarge(length) : loading!.then((ready) => ready.tooLarge(length)),
    calls,
  };
}
