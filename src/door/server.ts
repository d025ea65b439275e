// Judges, counts and answers frames in the protocol's order; page, worker and Node.

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
import { type Tool, toolParts, type ToolParts } from "../tools/tool.ts";
import type { ToolErrorKind } from "../tools/tool-error.ts";
import { type AnswerFrame, errorAnswer, okAnswer } from "./answer.ts";
import type { Budget } from "./budget.ts";
import { takeBytes } from "./bytes.ts";
import { CallLog, type CallRecord, hostErrorOf } from "./call-record.ts";
import { Cancellation } from "./cancellation.ts";
import { Deadlines } from "../tools/deadlines.ts";
import { deliver } from "./deliver.ts";
import { encodeResult, NotJson, ResultTooLarge } from "./encode-result.ts";
import { type Frame, readFrame, show } from "./frame.ts";
import { type Gate, internalError, invokeTool, type Outcome } from "./invoke-tool.ts";
import type { ToolDoorOptions } from "./tool-door-options.ts";

interface ServedTool {
  readonly tool: Tool;
  readonly parts: ToolParts;
}

/** The options of a door, checked, with the record that is shown to the page. */
export type ServerOptions = Omit<ToolDoorOptions, "budget"> & {
  readonly budget: Budget;
  readonly calls: CallRecord[];
  /** The signal is the run's own. */
  readonly ownSignal: boolean;
};

/** One run's side of the protocol: every frame goes through {@link Server.serve}. */
export class Server {
  readonly log: CallLog;
  readonly #tools = new Map<string, ServedTool>();
  readonly #list: string;
  readonly #gate: Gate | undefined;
  readonly #timeoutMs: number | undefined;
  readonly #budget: Budget;
  readonly #deadlines = new Deadlines();
  readonly #cancellation: Cancellation;

  constructor(tools: Iterable<Tool>, options: ServerOptions) {
    for (const tool of tools) this.#tools.set(tool.name, { tool, parts: toolParts(tool) });
    const descriptors = Array.from(this.#tools.values(), ({ parts }) => parts.descriptor);
    this.#list = `[${descriptors.join(",")}]`;
    this.#gate = options.gate;
    this.#timeoutMs = options.timeoutMs;
    this.#budget = options.budget;
    this.#cancellation = new Cancellation(options.signal, options.ownSignal);
    this.log = new CallLog(options.calls, options.onCall);
  }

  tooLarge(length: number): AnswerFrame {
    const usedUp = this.#budget.charge(0);
    if (usedUp !== undefined) return errorAnswer(null, "budget_exceeded", usedUp);
    const message = `a request of ${length} bytes is over the limit of ${DOOR_REQUEST_BYTES}`;
    return errorAnswer(null, "too_large", message);
  }

  serve(request: Uint8Array): AnswerFrame | Promise<AnswerFrame> {
    if (!(request instanceof Uint8Array)) {
      return errorAnswer(null, "protocol", "a request must be a Uint8Array");
    }
    if (request.length > DOOR_REQUEST_BYTES) return this.tooLarge(request.length);
    const arrived = performance.now();
    const usedUp = this.#budget.charge(request.length);
    if (usedUp !== undefined) {
      // The id is echoed where that is cheap; a flood of long frames past the budget must cost the page nothing.
      const id = request.length <= OVER_BUDGET_READ_BYTES ? readFrame(unshared(request)).id : null;
      return errorAnswer(id, "budget_exceeded", usedUp);
    }
    const frame = readFrame(unshared(request));
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

  #call(frame: Frame & { op: "call" }, arrived: number): AnswerFrame | Promise<AnswerFrame> {
    const served = typeof frame.tool === "string" ? this.#tools.get(frame.tool) : undefined;
    const problem = served === undefined ? undefined : this.#argumentsProblem(served, frame);
    const inherited = served?.parts.input.inheritedNames === true;
    const args = deliver(frame.args, frame.wholeFloats, inherited);
    const name = served?.tool.name ?? unknownName(frame.tool);
    const record = this.log.start(name, args);
    const finish = (answer: AnswerFrame): AnswerFrame => {
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
    const invocation = {
      tool: served.tool,
      args,
      gate: this.#gate,
      timeoutMs: this.#limit(served.parts),
      arrived,
      deadlines: this.#deadlines,
      cancellation: this.#cancellation,
    };
    return invokeTool(invocation, (outcome) =>
      finish(this.#answer(frame.id, record, served, outcome)),
    );
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

  #answer(
    id: number | null,
    record: CallRecord,
    served: ServedTool,
    outcome: Outcome,
  ): AnswerFrame {
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
): AnswerFrame {
  record.kind = kind;
  record.error = { kind, message };
  return errorAnswer(id, kind, message);
}

/** Shared memory may change while it is read, and decoders refuse it. */
function unshared(request: Uint8Array): Uint8Array {
  const shared =
    typeof SharedArrayBuffer !== "undefined" && request.buffer instanceof SharedArrayBuffer;
  return shared ? new Uint8Array(request) : request;
}

function unknownName(name: Json | undefined): string {
  return typeof name === "string" ? cut(name, ECHO_CHARACTERS) : show(name);
}
