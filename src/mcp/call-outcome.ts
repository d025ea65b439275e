// What a call of a remote server sends, and what its answer or its error comes to; page and Node.

import { envelope, errorEnvelope, type ToolResultEnvelope } from "../tools/envelope.ts";
import { envelopeOfMcpResult, type McpResult } from "../tools/mcp-shapes.ts";
import type { CallOptions } from "../tools/provider.ts";
import { failedEnvelope, refusal } from "../tools/provider-failure.ts";

/** The SDK's codes that the contract has words for. */
const CODES: Readonly<Record<string, "timeout" | undefined>> = { REQUEST_TIMEOUT: "timeout" };

/** The parameters of `tools/call`. */
export function paramsOf(
  name: string,
  args: Readonly<Record<string, unknown>>,
  { meta, inputResponses, requestState }: CallOptions,
): { name: string; arguments: Record<string, unknown> } {
  return {
    name,
    arguments: args,
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** A legacy server that forgot its session says so with 404. */
export function sessionIsGone(error: unknown): boolean {
  const { data } = (error ?? {}) as { data?: { status?: unknown } };
  return data?.status === 404;
}

/** The envelope of a result of a type that nobody here knows; what it adds is in `metadata`. */
export function claimedEnvelope(result: Record<string, unknown>, name: string): ToolResultEnvelope {
  const { content, structuredContent, resultType, isError, _meta, ...rest } = result as McpResult &
    Record<string, unknown>;
  const known = envelopeOfMcpResult(
    {
      ...(content ? { content } : {}),
      structuredContent,
      ...(resultType ? { resultType } : {}),
      ...(isError ? { isError } : {}),
      ...(_meta ? { _meta } : {}),
    },
    name,
  );
  return Object.keys(rest).length === 0
    ? known
    : envelope.inline(known.result ?? rest, { ...known, metadata: rest });
}

/** The envelope of an error. */
export function failure(
  error: unknown,
  name: string,
  signal: AbortSignal | undefined,
): ToolResultEnvelope {
  if (signal?.aborted) return refusal("cancelled", `the call of ${name} was cancelled`, name);
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  const kind = typeof code === "string" ? CODES[code] : undefined;
  if (kind !== undefined) return refusal(kind, `${name} took too long: ${message ?? ""}`, name);
  const read = failedEnvelope(error, name);
  return errorEnvelope({ type: read.type ?? "Error", message: read.error ?? "" }, name);
}
