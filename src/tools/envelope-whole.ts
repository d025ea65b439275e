// A result for those who take only whole ones: a stream read to its end, a session named; page, worker and Node.

import { STREAM_CHARACTERS, STREAM_EVENTS } from "../limits.ts";
import { envelope, type ToolResultEnvelope } from "./envelope.ts";
import { failedEnvelope, refusal } from "./provider-failure.ts";

/**
 * Reads a stream's events into one result: texts joined, else a list of the payloads. A session becomes its name. What is
 * whole already stays as it is. Never rejects; a stream that is too long or fails is an error.
 *
 * @param tool Names it in errors.
 */
export async function wholeEnvelope(
  given: ToolResultEnvelope,
  tool: string,
  signal?: AbortSignal,
): Promise<ToolResultEnvelope> {
  const { events, result_mode, execution_mode: _mode, session_id, session_status, ...rest } = given;
  if (result_mode === "session" && given.result === undefined && !given.is_error) {
    return envelope.inline({ session_id, session_status }, rest);
  }
  if (result_mode !== "stream" || events === undefined || given.is_error) return given;
  const payloads: unknown[] = [];
  let characters = 0;
  try {
    for await (const { payload } of events) {
      if (signal?.aborted) return refusal("cancelled", `the call of ${tool} was cancelled`, tool);
      payloads.push(payload);
      characters +=
        typeof payload === "string" ? payload.length : (JSON.stringify(payload) ?? "").length;
      if (payloads.length > STREAM_EVENTS || characters > STREAM_CHARACTERS) {
        return refusal("too_large", `the stream of ${tool} is too long to be taken whole`, tool);
      }
    }
  } catch (error) {
    return failedEnvelope(error, tool);
  }
  const texts = payloads.every((one) => typeof one === "string");
  return envelope.inline(given.result ?? (texts ? payloads.join("") : payloads), rest);
}
