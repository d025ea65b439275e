// Watches a run that is likely to end before it asks anything, where serving it would take longer than it does; page and Node.

import { AWAY, PAGE_TURN, PARKED, STATE, STOPPED, type Channel } from "./channel-buffer.ts";

/** Told once, whichever comes first; neither for a run that was stopped, whose worker says so itself. */
export interface WatchEnds {
  /** The guest waits for an answer. */
  asked(): void;
  /** The end lies there. */
  ended(): void;
}

/** Gives what ends the watch. */
export function watchRun({ words }: Channel, ends: WatchEnds): () => void {
  let over = false;
  let waits = false;
  const look = (): void => {
    waits = false;
    if (over) return;
    const state = Atomics.load(words, STATE);
    if (state === PARKED || state === AWAY) return ends.ended();
    if (state === PAGE_TURN) return ends.asked();
    if (state === STOPPED) return;
    const { async, value } = Atomics.waitAsync(words, STATE, state);
    waits = async;
    if (async) void value.then(look);
    else look();
  };
  look();
  return () => {
    over = true;
    if (waits) Atomics.notify(words, STATE);
  };
}
