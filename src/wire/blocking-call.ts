// What an import does when it cannot finish at once, whichever rung of the ladder blocks it; worker and page.
//
// An import is written once, as a function that returns a Step: the value for the guest, or a Pending that says what has
// to be waited for and how to go on. On "shared-memory" the worker waits in place; on "suspending" the guest's stack is
// put aside. Imports that never block return plain numbers and never pay for any of this.

import type { Transport } from "./messages.ts";

/**
 * What the page is asked for. `door_length` stands for a door request that was too long to be copied: its request is
 * the length alone. All kinds but `poll` stop the guest's clock.
 */
export type CallKind =
  | "door"
  | "door_length"
  | "http"
  | "stdin"
  | "poll"
  | "file"
  | "credit"
  | "code";

/** The kinds in the order of their numbers on the wire. */
export const CALL_KINDS: readonly CallKind[] = [
  "door",
  "door_length",
  "http",
  "stdin",
  "poll",
  "file",
  "credit",
  "code",
];

/** The page's reply as an import gets it: bytes, or the fact that the host failed (what that means is its business). */
export type CallAnswer = { readonly ok: true; bytes: Uint8Array } | { readonly ok: false };

/** What the page answers: bytes, or a short text of ASCII alone, which costs less; undefined says that the host failed. */
export type HostAnswer = Uint8Array | string | undefined;

/**
 * Answers a blocking call; runs on the page. A rejection counts as a failed host. The request is good until the handler
 * returns: the next one may lie in the same place.
 */
export type CallHandler = (
  kind: CallKind,
  request: Uint8Array<ArrayBuffer>,
) => HostAnswer | Promise<HostAnswer>;

/** Something an import has to wait for before it can go on. */
export type Pending =
  /**
   * Ask the page and block until it answers. `request` may be a view of guest memory: it is copied before anything else
   * runs.
   */
  | {
      readonly wait: "call";
      readonly kind: CallKind;
      readonly request: Uint8Array;
      /**
       * The answer's bytes may be a view of shared memory, good until the import returns. It saves a copy of up to
       * 16 MiB; without it the bytes belong to the import.
       */
      readonly borrow?: true;
      readonly resume: (answer: CallAnswer) => Step;
    }
  /** Sleep; the guest's clock runs. Ends early only when the run is stopped. */
  | { readonly wait: "sleep"; readonly ms: number; readonly resume: () => Step }
  /**
   * Enter an export of the guest (`host_alloc`), which may itself block. `failed` is given what it threw, unless that
   * was the end of the run, which goes on unwinding.
   */
  | {
      readonly wait: "export";
      readonly name: string;
      readonly arguments: readonly number[];
      readonly resume: (value: unknown) => Step;
      readonly failed: (error: unknown) => Step;
    };

/** What an import that may block returns: its value, or what it waits for. */
export type Step = number | Pending;

/** An import that may block. Its arity is fixed; the arguments are i32 or i64 as WebAssembly passes them. */
// oxlint-disable-next-line typescript/no-explicit-any -- i64 arguments arrive as bigint, the rest as number
export type BlockingImport = (...args: any[]) => Step;

/** An import that may block, with its parameters: one letter each, `i` for i32 and `I` for i64; the result is i32. */
export interface BlockingEntry {
  readonly run: BlockingImport;
  readonly parameters: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- what WebAssembly calls, whatever its parameters
export type PlainImport = (...args: any[]) => any;

/** What a rung needs to know of the run it blocks. */
export interface RunHooks {
  /** An export of the guest by name, or undefined. */
  guestExport(name: string): unknown;
  /** True for an exception that ends the run (the stop, proc_exit) and must not be mistaken for a guest's failure. */
  endsRun(error: unknown): boolean;
  /** Milliseconds of the guest's own time that are left. */
  remainingMs(): number;
  /** The guest's clock stands still until {@link resumeClock}; gives the milliseconds of its own time so far. */
  pauseClock(): number;
  resumeClock(): void;
  /** The guest used up its time while it waited. */
  ranOut(): void;
  /** The guest has to block and cannot; a guest may catch the exception, so it is told here too. */
  cannotBlock(reason: BlockingUnsupported): void;
}

/** The worker's half of a rung: how imports block, and how the guest is entered. */
export interface BlockingCaller {
  readonly transport: Transport;
  /** True once the page has stopped the run; cheap enough to ask in every import. */
  stopped(): boolean;
  /** The imports as WebAssembly functions: same names, able to block. */
  wrap(entries: Readonly<Record<string, BlockingEntry>>): Record<string, PlainImport>;
  /** The run is over: makes it fit for another. False when it is not. */
  renew(): boolean;
  /** Calls an export that may end up in a blocking import. */
  enter(name: string, call: PlainImport): unknown;
}

/** Thrown through the guest when the page has stopped the run. A guest may catch it; the next import throws it again. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
}

/** Thrown through a guest that has to block on a page that offers no way to. */
export class BlockingUnsupported extends Error {
  override readonly name = "BlockingUnsupported";
  readonly kind: CallKind | "sleep";

  constructor(kind: CallKind | "sleep") {
    super(kind);
    this.kind = kind;
  }
}

/** Ends a run that has to wait and cannot. */
export function refuseToWait(pending: Pending, hooks: RunHooks): never {
  const unsupported = new BlockingUnsupported(pending.wait === "call" ? pending.kind : "sleep");
  hooks.cannotBlock(unsupported);
  throw unsupported;
}

/**
 * Runs a handler: answers at once where it can, and calls `finish` in any case, a second time (failed) when that throws.
 * True when the answer comes later; `afterwards` is called right after it then.
 */
export function answerCall(
  handler: CallHandler,
  kind: CallKind,
  request: Uint8Array<ArrayBuffer>,
  finish: (answer: HostAnswer) => void,
  afterwards?: () => void,
): boolean {
  const failed = (): void => finish(undefined);
  // Bytes that went away before they were copied throw here; a guest that waits must have its answer all the same.
  const give = (answer: HostAnswer): void => {
    try {
      finish(answer);
    } catch {
      failed();
    }
  };
  try {
    const answer = handler(kind, request);
    if (answer instanceof Promise) {
      // Not in a promise that follows: it would be a good part of a short call.
      const then = (end: (given: HostAnswer) => void) => (given: HostAnswer) => {
        end(given);
        afterwards?.();
      };
      void answer.then(then(give), then(failed));
      return true;
    }
    give(answer);
  } catch {
    failed();
  }
  return false;
}
