// One tools/call in a fresh instance, from the arguments to the result that the package answered; page and Node.

import { SandboxError } from "../errors.ts";
import { PACKAGE_REQUEST_BYTES } from "../limits.ts";
import { readResult, type CallToolResult } from "./call-result.ts";
import { isObject, type JsonObject } from "./message.ts";
import { PackageCrash } from "./package-crash.ts";
import type { Request, RequestMaker } from "./requests.ts";
import type { RunGuest } from "./run-guest.ts";
import { converse } from "./session.ts";

/** What {@link toolRequest} makes a request of. */
export interface ToolCall {
  readonly name: string;
  /** An object of JSON values. */
  readonly args: unknown;
  /** Goes into the request's `_meta`, beside the protocol's own keys. */
  readonly meta?: JsonObject;
}

/**
 * Makes the request, before anything is started.
 *
 * @throws SandboxError `bad_option` for arguments that are no object of JSON values, `too_large`
 */
export function toolRequest(requests: RequestMaker, { name, args, meta }: ToolCall): Request {
  if (!isObject(args)) throw new SandboxError("bad_option", "a tool's arguments are an object");
  if (meta !== undefined && !isObject(meta)) {
    throw new SandboxError("bad_option", "the option meta is wrong: it has to be an object");
  }
  let request: Request;
  try {
    request = requests.callTool(name, args, meta);
  } catch (cause) {
    const text = `the arguments are no JSON: ${String(cause)}`;
    throw new SandboxError("bad_option", text, { cause });
  }
  const { length } = request.line;
  if (length > PACKAGE_REQUEST_BYTES) {
    const text = `the request has ${length} bytes, more than ${PACKAGE_REQUEST_BYTES}`;
    throw new SandboxError("too_large", text, {
      data: { bytes: length, limit: PACKAGE_REQUEST_BYTES },
    });
  }
  return request;
}

/** Runs the call. A failure that the function reports itself is a result with `isError`. @throws PackageCrash */
export async function callTool(
  runGuest: RunGuest,
  request: Request,
  timeoutMs: number,
  onStderr?: (bytes: Uint8Array) => void,
): Promise<CallToolResult> {
  const { results, stderr } = await converse({
    runGuest,
    requests: [request],
    timeoutMs,
    ...(onStderr ? { onStderr } : {}),
  });
  const result = readResult(results[0]!);
  if (typeof result !== "string") return result;
  throw new PackageCrash("bad_result", `the function crashed: ${result}`, { stderr });
}
