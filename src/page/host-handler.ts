// Answers a run's blocking calls: tools or a raw door, stdin, room for output; page and Node.

import type { ToolDoor } from "../door/create-tool-door.ts";
import { DOOR_ANSWER_BYTES } from "../limits.ts";
import type { CallAnswer, CallHandler } from "../wire/blocking-call.ts";
import type { HttpExchange } from "../wire/http-exchange.ts";
import { decodeCreditRequest, decodeNumber, encodeNumber } from "../wire/messages.ts";
import type { GrantedFolders } from "./granted-folders.ts";
import type { RunOutput } from "./output-stream.ts";
import type { RawDoor } from "./run-options.ts";
import type { StdinSource } from "./stdin-source.ts";

/** What a run has to answer with. */
export interface HostParts {
  readonly toolDoor: ToolDoor | undefined;
  readonly rawDoor: RawDoor | undefined;
  readonly http: HttpExchange | undefined;
  readonly folders: GrantedFolders | undefined;
  readonly stdin: StdinSource | undefined;
  readonly output: Readonly<Record<1 | 2, RunOutput>>;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
}

const FAILED: CallAnswer = { ok: false };

/** The handler of one run. What it throws or rejects with counts as a failed host. */
export function hostHandler(parts: HostParts): CallHandler {
  const { toolDoor, rawDoor, http, folders, stdin, output, signal } = parts;
  const answers: Readonly<
    Record<string, (request: Uint8Array<ArrayBuffer>) => CallAnswer | Promise<CallAnswer>>
  > = {
    door: (request) => (rawDoor ? callRaw(rawDoor, request, signal) : FAILED),
    door_length: async (request) =>
      toolDoor ? bytesAnswer(await toolDoor.tooLarge(decodeNumber(request))) : FAILED,
    http: async (request) => (http ? bytesAnswer(await http.answer(request)) : FAILED),
    file: async (request) => (folders ? bytesAnswer(await folders.answer(request)) : FAILED),
    stdin: async (request) =>
      bytesAnswer(stdin ? await stdin.read(decodeNumber(request)) : new Uint8Array(0)),
    poll: async (request) => {
      const ready = stdin ? await stdin.ready(decodeNumber(request)) : true;
      return bytesAnswer(encodeNumber(ready ? 1 : 0));
    },
    credit: async (request) => {
      const { stream, sentBytes } = decodeCreditRequest(request);
      return bytesAnswer(encodeNumber(await output[stream].room(sentBytes)));
    },
  };
  return (kind, request) => {
    // The tool door has read its frame when it returns; whoever else is asked gets bytes of its own.
    if (kind === "door" && toolDoor) return toolDoor.call(request).then(bytesAnswer);
    return answers[kind]?.(request.slice()) ?? FAILED;
  };
}

async function callRaw(
  door: RawDoor,
  request: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<CallAnswer> {
  const answer: unknown = await door(request, { signal });
  if (!(answer instanceof Uint8Array || answer instanceof ArrayBuffer)) return FAILED;
  if (answer.byteLength > DOOR_ANSWER_BYTES) return FAILED;
  const bytes = answer instanceof ArrayBuffer ? new Uint8Array(answer) : answer; // throws for a detached one
  // Not copied here: up to 16 MiB cross at once, and the rung copies them. A detached one looks empty.
  const { detached = false } = bytes.buffer as { detached?: boolean };
  return detached ? FAILED : bytesAnswer(bytes);
}

function bytesAnswer(bytes: Uint8Array): CallAnswer {
  return { ok: true, bytes };
}
