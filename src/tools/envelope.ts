// The envelope in which every tool call of the contract ends, and its constructors; page, worker and Node.

/** One event of a streamed result. */
export interface ToolEvent {
  readonly name: string;
  readonly payload: unknown;
  readonly sequence?: number;
  readonly timestamp?: string | number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** How the result comes: whole, as events, or as a session that stays open. */
export type ResultMode = "inline" | "stream" | "session";

/**
 * What `callTool` resolves to, whatever happened. `status`, `result_mode`, `execution_mode` and `is_error` are always
 * there; every other key only when it was set.
 */
export interface ToolResultEnvelope {
  /** `ok` or `error`. */
  readonly status: string;
  readonly result?: unknown;
  readonly is_error: boolean;
  readonly result_mode: ResultMode;
  readonly execution_mode: "sync" | "async" | "realtime";
  /** Of a stream: the events, as they come or as a list. */
  readonly events?: AsyncIterable<ToolEvent> | readonly ToolEvent[];
  readonly session_id?: string;
  readonly session_status?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** MCP's content blocks, kept when there is something besides text. */
  readonly content?: readonly ContentBlock[];
  readonly structured_content?: unknown;
  /** Anything but MCP's `complete`, such as `input_required`. */
  readonly result_type?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Of an exception: its message and its class. */
  readonly error?: string;
  readonly type?: string;
  /** The tool's name, in an envelope that tells of a failure. */
  readonly tool?: string;
  /** Of `input_required`: what the server wants to know, by key, and its state; both go back with the next call. */
  readonly input_requests?: Readonly<Record<string, unknown>>;
  readonly request_state?: string;
}

/** A block of MCP's content. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What a provider's `callTool` may give instead of an envelope. */
export interface BareResult {
  readonly result: unknown;
  readonly is_error?: boolean;
}

/** Keys that a constructor may add. */
export type EnvelopeExtras = Partial<Omit<ToolResultEnvelope, "result_mode" | "execution_mode">>;

/**
 * Makes envelopes.
 *
 * @example
 * envelope.inline({ region: "EMEA" });
 * envelope.stream(eventsOf(job)); // an async iterable of { name, payload }
 * envelope.session("s-1");
 */
export const envelope = {
  /** A result that is there. */
  inline(result: unknown, extras: EnvelopeExtras = {}): ToolResultEnvelope {
    return build({ ...(result === undefined ? {} : { result }), ...extras }, "inline", "sync");
  },
  /** A result that comes as events. */
  stream(
    events: AsyncIterable<ToolEvent> | readonly ToolEvent[],
    extras: EnvelopeExtras = {},
  ): ToolResultEnvelope {
    return build({ ...extras, events }, "stream", "async");
  },
  /** A session that stays open. */
  session(sessionId: string, extras: EnvelopeExtras = {}): ToolResultEnvelope {
    const session = { session_id: sessionId, session_status: "open" };
    return build({ ...session, ...extras }, "session", "realtime");
  },
} as const;

function build(
  extras: EnvelopeExtras,
  result_mode: ResultMode,
  execution_mode: ToolResultEnvelope["execution_mode"],
): ToolResultEnvelope {
  const is_error = extras.is_error === true;
  const base = { status: is_error ? "error" : "ok", ...extras, is_error };
  return { ...base, result_mode, execution_mode };
}

/** The envelope of something thrown: its message and class, no `result`. */
export function errorEnvelope(
  thrown: { readonly type: string; readonly message: string },
  tool?: string,
): ToolResultEnvelope {
  const { type, message: error } = thrown;
  const about = tool === undefined ? {} : { tool };
  return build({ error, type, ...about, is_error: true }, "inline", "sync");
}

/** Whether a value has the four keys that every envelope has. */
export function isEnvelope(value: unknown): value is ToolResultEnvelope {
  if (typeof value !== "object" || value === null) return false;
  const { status, is_error, result_mode, execution_mode } = value as Partial<ToolResultEnvelope>;
  return (
    typeof status === "string" &&
    typeof is_error === "boolean" &&
    typeof result_mode === "string" &&
    typeof execution_mode === "string"
  );
}

/** What a provider gave, as an envelope; a bare `{ result, is_error? }` is taken too. Undefined for anything else. */
export function readEnvelope(given: unknown): ToolResultEnvelope | undefined {
  if (isEnvelope(given)) return given;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  if (!Object.hasOwn(given, "result") && !Object.hasOwn(given, "is_error")) return undefined;
  const { result, is_error, ...rest } = given as Record<string, unknown>;
  return envelope.inline(result, { ...(rest as EnvelopeExtras), is_error: is_error === true });
}

/** One text for a model: the error, or the result as it is or as JSON. */
export function envelopeText(given: ToolResultEnvelope): string {
  if (given.is_error && given.error !== undefined) return given.error;
  const { result } = given;
  if (typeof result === "string") return result;
  if (result === undefined) return given.is_error ? "the tool failed" : "";
  try {
    return JSON.stringify(result, jsonMember) ?? "";
  } catch {
    return "a result that is no JSON";
  }
}

/** bigint is no JSON, and a model reads digits either way. */
function jsonMember(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
