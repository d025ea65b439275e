// What a package's session needs of whoever can run its module; page and Node.

/** One start of the module. */
export interface GuestStart {
  /** Request lines, each with its "\n". The first waits on stdin, each other comes once the one before was answered. */
  readonly lines: readonly Uint8Array<ArrayBuffer>[];
  /** More may follow by `send`. Without it stdin ends by itself once the last line was answered. */
  readonly more: boolean;
  /** Milliseconds in all. */
  readonly timeoutMs: number;
  /** Told of output as it comes, whole and in order, before `ended` settles. The bytes are the listener's own. */
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
}

/** How a guest ended. */
export type GuestEnd =
  | { readonly status: "exited"; readonly exitCode: number }
  /** `reason` is a word such as `unreachable`, `message` the engine's own sentence. */
  | { readonly status: "trapped"; readonly reason: string; readonly message: string }
  /** It trapped with its memory used up. */
  | { readonly status: "out_of_memory"; readonly message: string }
  | { readonly status: "timeout" }
  /** By `kill`. */
  | { readonly status: "killed" };

/** A guest at work. */
export interface GuestRun {
  /** Puts one more line on stdin; only after `more: true`. */
  send(line: Uint8Array<ArrayBuffer>): void;
  /** Ends stdin; only after `more: true`. */
  endInput(): void;
  /** Stops the guest; `ended` settles soon after. */
  kill(): void;
  /** Rejects for what is not the guest's doing: a signal, a worker that died, a page where guests cannot block. */
  readonly ended: Promise<GuestEnd>;
}

/** Starts a fresh instance of a package's module: argv of one entry, no environment. */
export type RunGuest = (start: GuestStart) => GuestRun;
