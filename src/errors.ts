// The one error class of the library and its codes; page, worker and Node.

/** What went wrong, for programs. Messages are for people and may change; codes do not. */
export type SandboxErrorCode =
  | "bad_option" // an option has the wrong type or value
  | "bad_tool" // tool(): a name, schema or callback that the tool protocol does not allow
  | "load_failed" // the module could not be fetched
  | "not_wasm" // the bytes are no WebAssembly module
  | "truncated" // the module ends early
  | "malformed" // the module breaks the binary format
  | "component" // a component where a core module is needed
  | "integrity_mismatch" // the bytes do not have the given digest
  | "too_large" // the module's bytes, or the memory or tables it starts with, pass a limit
  | "memory_unbounded" // a compiled Module declares more memory than memoryBytes allows
  | "compile_failed" // the engine refused the module
  | "no_entry" // neither _start nor the asked-for export
  | "no_memory" // the module exports no memory
  | "missing_import" // the module imports what this sandbox does not provide
  | "unsupported" // the page lacks what a guest needs to block
  | "worker_failed" // the worker did not start, or ended on its own
  | "bad_snapshot" // no snapshot can be made or used: the module cannot be put back, its init failed, or another's image
  | "closed" // the sandbox was closed
  | "resource_exhausted" // too many live guests, or the browser gave no memory
  | "aborted" // a signal ended the call
  | "bad_path" // a path in files or mounts that cannot be
  | "bad_archive" // an archive that is hostile or broken
  | "quota" // a host-side limit on files was passed
  | "conflict" // what was to be written back has changed meanwhile
  | "bad_package" // a function package that breaks ABI 1: module, manifest or tools
  | "unknown_tool" // no tool has that name
  | "tool_conflict" // two providers own one tool name
  | "unclaimed_tool" // no provider owns a tool name
  | "tool_unavailable" // a provider that was given names does not list one of them
  | "provider_failed" // a provider could not list its tools
  | "bad_schema" // a JSON Schema that cannot be used
  | "bad_config" // a tool server registry or tool manifest that breaks its schema
  | "server_unreachable" // an MCP server that a page cannot reach, with the header or the cause in the message
  | "bad_volume"; // a stored volume that is damaged, or was written by a newer version

/**
 * Thrown (or given as a rejection) for everything the page got wrong.
 *
 * @example
 * try { await createSandbox({ module: "/missing.wasm" }); }
 * catch (error) { if (error instanceof SandboxError && error.code === "load_failed") retry(); }
 */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code: SandboxErrorCode;
  /** Details for programs, such as `{ exports: ["run"] }`; the shape depends on the code. */
  readonly data?: unknown;

  constructor(
    code: SandboxErrorCode,
    message: string,
    options: { data?: unknown; cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.data !== undefined) this.data = options.data;
  }
}
