// Answers a run's blocking calls: tools or a raw door, stdin, room for output; page and Node.

import type { FrameDoor } from "../door/create-tool-door.ts";
import { DOOR_ANSWER_BYTES } from "../limits.ts";
import type { CallHandler, HostAnswer } from "../wire/blocking-call.ts";
import type { HttpExchange } from "../wire/http-exchange.ts";
import { decodeCreditRequest, decodeNumber, encodeNumber } from "../wire/messages.ts";
import type { LoadCode } from "./deferred-code.ts";
import type { RunFolders } from "./run-folders.ts";
import type { RunOutput } from "./output-stream.ts";
import type { RawDoor } from "./run-options.ts";
import type { StdinSource } from "./stdin-source.ts";
import type { Stopping } from "./stopping.ts";

/** What a run has to answer with. */
export interface HostParts {
  readonly toolDoor: FrameDoor | undefined;
  readonly rawDoor: RawDoor | undefined;
  readonly http: HttpExchange | undefined;
  readonly folders: RunFolders | undefined;
  readonly code: LoadCode | undefined;
  readonly stdin: StdinSource | undefined;
  readonly output: Readonly<Record<1 | 2, RunOutput>>;
  readonly stopping: Stopping;
}

/** The handler of one run. What it throws or rejects with counts as a failed host. */
export function hostHandler(parts: HostParts): CallHandler {
  const { toolDoor, rawDoor, http, folders, code, stdin, output, stopping } = parts;
  const answers: Readonly<
    Record<string, (request: Uint8Array<ArrayBuffer>) => HostAnswer | Promise<HostAnswer>>
  > = {
    door: (request) => rawDoor && callRaw(rawDoor, request, stopping.signal),
    door_length: (request) => toolDoor?.tooLarge(decodeNumber(request)),
    http: (request) => http?.answer(request),
    file: (request) => folders?.answer(request),
    code: () => code?.(),
    stdin: (request) => (stdin ? stdin.read(decodeNumber(request)) : new Uint8Array(0)),
    poll: async (request) => {
      const ready = stdin ? await stdin.ready(decodeNumber(request)) : true;
      return encodeNumber(ready ? 1 : 0);
    },
    credit: async (request) => {
      const { stream, sentBytes } = decodeCreditRequest(request);
      return encodeNumber(await output[stream].room(sentBytes));
    },
  };
  return (kind, request) => {
    // The tool door has read its frame when it returns; whoever else is asked gets bytes of its own.
    if (kind === "door" && toolDoor) return toolDoor.serve(request);
    return answers[kind]?.(request.slice());
  };
}

async function callRaw(
  door: RawDoor,
  request: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
): Promise<HostAnswer> {
  const answer: unknown = await door(request, { signal });
  if (!(answer instanceof Uint8Array || answer instanceof ArrayBuffer)) return undefined;
  if (answer.byteLength > DOOR_ANSWER_BYTES) return undefined;
  const bytes = answer instanceof ArrayBuffer ? new Uint8Array(answer) : answer; // throws for a detached one
  // Not copied here: up to 16 MiB cross at once, and the rung copies them. A detached one looks empty.
  const { detached = false } = bytes.buffer as { detached?: boolean };
  return detached ? undefined : bytes;
}
