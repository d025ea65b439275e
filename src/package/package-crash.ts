// What a call of a package throws when the package broke the protocol, ended early or ran out of something; anywhere.

/** What broke a call. */
export type CrashReason =
  | "json_rpc_error" // it answered with a JSON-RPC error
  | "result_type" // its result is not `complete`
  | "bad_result" // its result is no CallToolResult
  | "not_a_message" // a line on stdout is no JSON-RPC message
  | "wrong_id" // it answered an id it was not asked, or one id twice
  | "request" // it sent a request of its own
  | "exited_early" // it ended before it answered
  | "exit_code" // it answered and ended with another code than 0
  | "late_exit" // it did not end within a second of stdin's end
  | "trapped" // an instruction failed
  | "out_of_memory" // the same, with its memory used up
  | "timeout" // it ran out of time
  | "stdout_limit"; // it printed more than 1 MiB

/** What a crash carries besides its reason. */
export interface CrashDetails {
  /** The last 4 KiB of stderr, as text. */
  readonly stderr: string;
  /** Of a guest that exited. */
  readonly exitCode?: number;
  /** What the reason is about, for programs: the JSON-RPC error, the line, the trap's name. */
  readonly data?: unknown;
}

/**
 * Thrown by `pkg.call` (and by `loadPackage`, while it asks for the tools) when the function crashed. A failure that the
 * function reports itself is no crash: it is a result with `isError`.
 *
 * @example
 * try { await pkg.call("greet", { name: "Ada" }); }
 * catch (error) { if (error instanceof PackageCrash) console.warn(error.reason, error.stderr); }
 */
export class PackageCrash extends Error {
  override readonly name = "PackageCrash";
  readonly reason: CrashReason;
  /** The last 4 KiB of what it wrote to stderr, as text. */
  readonly stderr: string;
  /** The exit code, of a guest that exited. */
  readonly exitCode?: number;
  /** Details for programs; the shape depends on the reason. */
  readonly data?: unknown;

  constructor(reason: CrashReason, message: string, details: CrashDetails) {
    super(message);
    this.reason = reason;
    this.stderr = details.stderr;
    if (details.exitCode !== undefined) this.exitCode = details.exitCode;
    if (details.data !== undefined) this.data = details.data;
  }
}
