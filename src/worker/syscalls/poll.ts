// poll_oneoff: any mix of clocks and descriptors, asleep until the first of them; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { SUBSCRIPTIONS } from "../../limits.ts";
import type { Step } from "../../wire/blocking-call.ts";
import { Stdin } from "../stdio.ts";
import type { GuestMemory } from "../wasi-memory.ts";
import type { Context, Imports } from "./context.ts";
import type { Readiness } from "./descriptor.ts";
import { timeOf } from "./environment.ts";

const OK = wasi.ERRNO_SUCCESS;
const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
const NS = 1_000_000;
/** Longer sleeps are taken in pieces, which timers and channels can hold. */
const LONGEST_MS = 2 ** 31 - 1;

interface Subscription {
  readonly user: bigint;
  readonly type: number;
  /** What to answer at once when it cannot be waited for. */
  readonly error: number;
  /** For a clock: which, and when by that clock, in milliseconds. */
  readonly clock: number;
  readonly deadline: number;
  readonly fd: number;
}

/** The import of this group. */
export function pollImports(context: Context): Imports {
  const { memory } = context;
  return {
    plain: {},
    blocking: {
      poll_oneoff: {
        parameters: "iiii",
        run: (input: number, output: number, count: number, result: number): Step => {
          input >>>= 0;
          output >>>= 0;
          count >>>= 0;
          result >>>= 0;
          const fits =
            memory.fits(input, count * SUBSCRIPTION_BYTES) &&
            memory.fits(output, count * EVENT_BYTES) &&
            memory.fits(result, 4);
          if (!fits) return wasi.ERRNO_FAULT;
          if (count === 0 || count > SUBSCRIPTIONS) return wasi.ERRNO_INVAL;
          const subscriptions: Subscription[] = [];
          for (let i = 0; i < count; i++) {
            subscriptions.push(parse(context, input + i * SUBSCRIPTION_BYTES));
          }
          return poll(context, subscriptions, output, result);
        },
      },
    },
  };
}

function parse(context: Context, at: number): Subscription {
  const { view } = context.memory;
  const user = view.getBigUint64(at, true);
  const type = view.getUint8(at + 8);
  if (type === wasi.EVENTTYPE_FD_READ || type === wasi.EVENTTYPE_FD_WRITE) {
    const fd = view.getUint32(at + 16, true);
    const right = type === wasi.EVENTTYPE_FD_READ ? wasi.RIGHTS_FD_READ : wasi.RIGHTS_FD_WRITE;
    const descriptor = context.table.get(fd);
    const needed = right | wasi.RIGHTS_POLL_FD_READWRITE;
    const error =
      descriptor === undefined
        ? wasi.ERRNO_BADF
        : (descriptor.rights & needed) === needed
          ? OK
          : descriptor.refusal(right);
    return { user, type, error, clock: 0, deadline: 0, fd };
  }
  const clock = view.getUint32(at + 16, true);
  const now = type === wasi.EVENTTYPE_CLOCK ? timeOf(context.around.clock, clock) : undefined;
  if (now === undefined) return { user, type, error: wasi.ERRNO_INVAL, clock, deadline: 0, fd: 0 };
  const timeout = Number(view.getBigUint64(at + 24, true)) / NS;
  const flags = view.getUint16(at + 40, true);
  const absolute = (flags & wasi.SUBCLOCKFLAGS_SUBSCRIPTION_CLOCK_ABSTIME) !== 0;
  return { user, type, error: OK, clock, deadline: absolute ? timeout : now + timeout, fd: 0 };
}

/** One call of poll_oneoff: looks at everything; if nothing has happened, waits for the nearest and looks again. */
function poll(
  context: Context,
  subscriptions: readonly Subscription[],
  output: number,
  result: number,
): Step {
  const { memory, table } = context;
  const { clock } = context.around;
  let events = 0;
  let wait = Number.POSITIVE_INFINITY;
  let stdin: Stdin | undefined;
  const tell = (subscription: Subscription, ready: NonNullable<Readiness> = 0): void =>
    writeEvent(memory, output + events++ * EVENT_BYTES, subscription, ready);
  for (const subscription of subscriptions) {
    const { type, error, deadline, fd } = subscription;
    if (error !== OK) tell(subscription);
    else if (type === wasi.EVENTTYPE_CLOCK) {
      const left = deadline - timeOf(clock, subscription.clock)!;
      if (left <= 0) tell(subscription);
      else wait = Math.min(wait, left);
    } else {
      const descriptor = table.get(fd)!;
      const ready = type === wasi.EVENTTYPE_FD_READ ? descriptor.readable() : descriptor.writable();
      if (ready !== undefined) tell(subscription, ready);
      else if (descriptor instanceof Stdin) stdin = descriptor;
    }
  }
  if (events > 0) {
    memory.fits(result, 4);
    memory.view.setUint32(result, events, true);
    return OK;
  }
  const again = (): Step => poll(context, subscriptions, output, result);
  // A fixed clock cannot tell which comes first, so input is awaited without an end only when nothing else is.
  if (stdin === undefined || wait !== Number.POSITIVE_INFINITY) {
    wait = Math.min(clock.wait(wait), LONGEST_MS);
  }
  if (stdin === undefined) {
    if (wait <= 0) return again();
    const resume = (): Step => {
      clock.waited(wait);
      return again();
    };
    return { wait: "sleep", ms: wait, resume };
  }
  const before = clock.monotonic();
  return stdin.poll(wait, () => {
    clock.waited(clock.monotonic() - before);
    return again();
  });
}

function writeEvent(
  memory: GuestMemory,
  at: number,
  { user, error, type }: Subscription,
  ready: NonNullable<Readiness>,
): void {
  memory.fits(at, EVENT_BYTES);
  memory.bytes.fill(0, at, at + EVENT_BYTES);
  memory.view.setBigUint64(at, user, true);
  memory.view.setUint16(at + 8, error, true);
  memory.view.setUint8(at + 10, type);
  if (type === wasi.EVENTTYPE_CLOCK) return;
  if (ready === "end") {
    memory.view.setUint16(at + 24, wasi.EVENTRWFLAGS_FD_READWRITE_HANGUP, true);
  } else memory.setU64(at + 16, ready);
}
