// What an import does when it cannot finish at once, whichever rung of the ladder blocks it; worker and page.
//
// An import is written once, as a function that returns a Step: the value for the guest, or a Pending that says what has
// to be waited for and how to go on. On "shared-memory" the worker waits in place; on "suspending" the guest's stack is
// put aside. Imports that never block return plain numbers and never pay for any of this.

/**
 * What the page is asked for. `door_length` stands for a door request that was too long to be copied: its request is
 * the length alone. All kinds but `poll` stop the guest's clock.
 */
export type CallKind = "door" | "door_length" | "http" | "stdin" | "poll" | "file" | "credit";

/** The page's reply: bytes, or the fact that the host failed (what that means is the import's business). */
export type CallAnswer = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false };

/** Something an import has to wait for before it can go on. */
export type Pending =
  /** Ask the page and block until it answers. `request` is a copy, never a view of guest memory. */
  | {
      readonly wait: "call";
      readonly kind: CallKind;
      readonly request: Uint8Array;
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
