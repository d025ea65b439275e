// The host of tool protocol v1: request bytes in, answer bytes out; page, worker and Node.

import { SandboxError } from "../errors.ts";
import {
  DOOR_REQUEST_BYTES,
  ECHO_CHARACTERS,
  OVER_BUDGET_READ_BYTES,
  TOOL_TIMEOUT_MS,
} from "../limits.ts";
import { cut } from "../schema/characters.ts";
import { checkArguments } from "../schema/check-arguments.ts";
import { isJsonObject, type Json } from "../schema/json-value.ts";
import { parseStrictJson } from "../schema/strict-json.ts";
import { type ContractTool, doorTool } from "../tools/contract-tool.ts";
import { type Tool, toolParts, type ToolParts } from "../tools/tool.ts";
import type { ToolErrorKind } from "../tools/tool-error.ts";
import { errorAnswer, okAnswer } from "./answer.ts";
import { Budget, type BudgetOptions } from "./budget.ts";
import { takeBytes } from "./bytes.ts";
import { CallLog, type CallRecord, hostErrorOf, type OnCall } from "./call-record.ts";
import { Cancellation } from "./cancellation.ts";
import { deliver } from "./deliver.ts";
import { encodeResult, NotJson, ResultTooLarge } from "./encode-result.ts";
import { type Frame, readFrame, show } from "./frame.ts";
import { type Gate, internalError, invokeTool, type Outcome } from "./invoke-tool.ts";

/** Options of {@link createToolDoor}. */
export interface ToolDoorOptions {
  /** Asked before each call; see {@link Gate}. */
  readonly gate?: Gate;
  /** What the run may ask in all. */
  readonly budget?: BudgetOptions;
  /** Milliseconds that any call may take: the most for every tool, and the limit of those that give none. */
  readonly timeoutMs?: number;
  /** When it aborts, calls in flight and later ones end as `cancelled`, and the tools' own signals abort. */
  readonly signal?: AbortSignal;
  /** Told of the start and end of each call. */
  readonly onCall?: OnCall;
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

interface ServedTool {
  readonly tool: Tool;
  readonly parts: ToolParts;
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
  const server = new Server(tools, options);
  return {
    call: async (request) => server.serve(request),
    tooLarge: async (length) => server.tooLarge(length),
    calls: server.log.calls,
  };
}

class Server {
  readonly log: CallLog;
  readonly #tools = new Map<string, ServedTool>();
  readonly #list: string;
  readonly #gate: Gate | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #budget: Budget;
  readonly #cancellation: Cancellation;

  constructor(tools: Iterable<Tool | ContractTool>, options: ToolDoorOptions) {
    for (const given of tools) {
      const tool = doorTool(given);
      const parts = toolParts(tool);
      if (this.#tools.has(tool.name)) {
        throw new SandboxError("bad_tool", `two tools are named ${JSON.stringify(tool.name)}`);
      }
      this.#tools.set(tool.name, { tool, parts });
    }
    const descriptors = Array.from(this.#tools.values(), ({ parts }) => parts.descriptor);
    this.#list = `[${descriptors.join(",")}]`;
    const { gate, onCall, timeoutMs, signal } = options;
    optionalFunction("gate", gate);
    optionalFunction("onCall", onCall);
    if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
      throw new SandboxError("bad_option", "timeoutMs must be a positive number of milliseconds");
    }
    if (signal !== undefined && typeof signal.addEventListener !== "function") {
      throw new SandboxError("bad_option", "signal must be an AbortSignal");
    }
    this.#gate = gate;
    this.#timeoutMs = timeoutMs;
    this.#budget = new Budget(options.budget);
    this.#cancellation = new Cancellation(signal);
    this.log = new CallLog(onCall);
  }

  tooLarge(length: number): Uint8Array {
    const usedUp = this.#budget.charge(0);
    if (usedUp !== undefined) return errorAnswer(null, "budget_exceeded", usedUp);
    const message = `a request of ${length} bytes is over the limit of ${DOOR_REQUEST_BYTES}`;
    return errorAnswer(null, "too_large", message);
  }

  serve(request: Uint8Array): Uint8Array | Promise<Uint8Array> {
    if (!(request instanceof Uint8Array)) {
      return errorAnswer(null, "protocol", "a request must be a Uint8Array");
    }
    if (request.length > DOOR_REQUEST_BYTES) return this.tooLarge(request.length);
    const arrived = performance.now();
    const usedUp = this.#budget.charge(request.length);
    if (usedUp !== undefined) {
      // The id is echoed where that is cheap; a flood of long frames past the budget must cost the page nothing.
      const id = request.length <= OVER_BUDGET_READ_BYTES ? readFrame(request).id : null;
      return errorAnswer(id, "budget_exceeded", usedUp);
    }
    const frame = readFrame(request);
    if (frame.op === "refused") return errorAnswer(frame.id, "protocol", frame.message);
    if (this.#cancellation.cancelled) {
      return errorAnswer(frame.id, "cancelled", "the run was cancelled");
    }
    if (frame.op === "call") return this.#call(frame, arrived);
    return (
      okAnswer(frame.id, "tools", this.#list) ??
      errorAnswer(frame.id, "too_large", "the list of tools is over 16 MiB")
    );
  }

  #call(frame: Frame & { op: "call" }, arrived: number): Uint8Array | Promise<Uint8Array> {
    const served = typeof frame.tool === "string" ? this.#tools.get(frame.tool) : undefined;
    const problem = served === undefined ? undefined : this.#argumentsProblem(served, frame);
    const inherited = served?.parts.input.inheritedNames === true;
    const args = deliver(frame.args, frame.wholeFloats, inherited);
    const name = served?.tool.name ?? unknownName(frame.tool);
    const record = this.log.start(name, args);
    const finish = (answer: Uint8Array): Uint8Array => {
      record.durationMs = performance.now() - arrived;
      this.log.end(record);
      return answer;
    };
    if (served === undefined) {
      const message = `no tool is named ${show(frame.tool)}; ${this.#names()}`;
      return finish(refuse(frame.id, record, "unknown_tool", message));
    }
    if (problem !== undefined) {
      return finish(refuse(frame.id, record, "invalid_arguments", problem));
    }
    const outcome = invokeTool({
      tool: served.tool,
      args,
      gate: this.#gate,
      timeoutMs: this.#limit(served.parts),
      cancellation: this.#cancellation,
    });
    const answer = (known: Outcome) => finish(this.#answer(frame.id, record, served, known));
    return outcome instanceof Promise ? outcome.then(answer) : answer(outcome);
  }

  #argumentsProblem(served: ServedTool, frame: Frame & { op: "call" }): string | undefined {
    if (frame.args === undefined) return "the arguments are missing: args must be an object";
    if (!isJsonObject(frame.args)) return "the arguments must be an object";
    return checkArguments(served.parts.input, frame.args, frame.bytes, frame.wholeFloats);
  }

  #names(): string {
    const names = [...this.#tools.keys()];
    return names.length === 0 ? "there are none" : `there are: ${names.join(", ")}`;
  }

  #limit(parts: ToolParts): number {
    const most = this.#timeoutMs ?? Infinity;
    return Math.min(parts.timeoutMs ?? this.#timeoutMs ?? TOOL_TIMEOUT_MS, most);
  }

  #answer(id: number | null, record: CallRecord, served: ServedTool, outcome: Outcome): Uint8Array {
    if (!outcome.ok) {
      if ("thrown" in outcome) record.hostError = hostErrorOf(outcome.thrown);
      return refuse(id, record, outcome.kind, outcome.message);
    }
    const { name } = served.tool;
    try {
      const json = encodeResult(outcome.value);
      const misfit = outputProblem(served.parts, json);
      if (misfit !== undefined) throw new NotJson(`outputSchema: ${misfit}`);
      const answer = okAnswer(id, "value", json);
      if (answer === undefined) throw new ResultTooLarge("the answer is over 16 MiB");
      record.kind = "ok";
      this.log.keep(record, outcome.value, answer.length);
      return answer;
    } catch (error) {
      record.hostError = hostErrorOf(error);
      return error instanceof ResultTooLarge
        ? refuse(id, record, "too_large", `the answer of ${name} is over 16 MiB`)
        : refuse(id, record, "tool_error", internalError(name));
    }
  }
}

/** Why a result does not fit a checked outputSchema. It is read back as a guest would read it. */
function outputProblem({ output }: ToolParts, json: string): string | undefined {
  if (output === undefined) return undefined;
  const wrapper: Json[] = [parseStrictJson(json, Infinity).value];
  const bytes = takeBytes(wrapper);
  return checkArguments(output, wrapper[0] as Json, bytes, true);
}

function refuse(
  id: number | null,
  record: CallRecord,
  kind: ToolErrorKind,
  message: string,
): Uint8Array {
  record.kind = kind;
  record.error = { kind, message };
  return errorAnswer(id, kind, message);
}

function unknownName(name: Json | undefined): string {
  return typeof name === "string" ? cut(name, ECHO_CHARACTERS) : show(name);
}

function optionalFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") {
    throw new SandboxError("bad_option", `${name} must be a function`);
  }
}
