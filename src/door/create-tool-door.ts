// createToolDoor(): the host of tool protocol v1, request bytes in, answer bytes out; page, worker and Node.

import type { ContractTool } from "../tools/contract-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { errorAnswer } from "./answer.ts";
import type { CallRecord } from "./call-record.ts";
import { Server } from "./server.ts";
import { checkDoorOptions, servedTools, type ToolDoorOptions } from "./tool-door-options.ts";

export type { ToolDoorOptions } from "./tool-door-options.ts";

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
  const server = new Server(servedTools(tools), options);
  return {
    call: async (request) => {
      try {
        return await server.serve(request);
      } catch {
        // Nothing is known to lead here; whatever does, a guest that waits must have its answer.
        return errorAnswer(null, "tool_error", "the host failed (internal error)");
      }
    },
    tooLarge: async (length) => server.tooLarge(length),
    calls: server.log.calls,
  };
}
