// Looks at the state word for a moment before its thread sleeps, while that has lately paid; compiled for both realms.
//
// Putting a thread to sleep and waking it takes longer than a short call. Looking instead is lost time where the other
// thread is slow, or has to wait for this one's core: it is given up after two moments for nothing, and tried again
// after 16 waits, 32, 64 and so on.

import { STATE } from "./channel-buffer.ts";

const FIRST_BREAK = 16;
const LONGEST_BREAK = 8192;
/** A moment for nothing takes as long as about three sleeps. */
const MISS_COSTS = 3;
const MOST_CREDIT = 12;
/** Looks for one at the clock, which takes as long as a few of them. */
const LOOKS = 32;

/** Not in every engine; tells the processor what the loop is. */
const { pause } = Atomics as { pause?: () => void };

/**
 * Gives a look of at most `ms`, to be taken before each wait of one thread: true when it saw the state be another than
 * `state`, false when it did not, or did not look.
 */
export function eagerWait(ms: number): (words: Int32Array, state: number, now?: number) => boolean {
  let credit = MISS_COSTS;
  let nextBreak = FIRST_BREAK;
  let left = 0;
  return (words, state, now) => {
    if (left > 0) {
      left -= 1;
      return false;
    }
    const until = (now ?? performance.now()) + ms;
    do {
      for (let n = LOOKS; n > 0; n--) {
        if (Atomics.load(words, STATE) !== state) {
          if (credit < MOST_CREDIT) credit += 1;
          else nextBreak = FIRST_BREAK;
          return true;
        }
        pause?.();
      }
    } while (performance.now() < until);
    credit -= MISS_COSTS;
    if (credit < 0) {
      credit = 0;
      left = nextBreak;
      nextBreak = Math.min(2 * nextBreak, LONGEST_BREAK);
    }
    return false;
  };
}
