// How many guests' memories each worker of a page may hold: a browser process takes 125 in all; page and Node.

/** Of living and dead guests, in all workers of a page. */
const IN_ALL = 112;
/** In one worker: with fewer it would be at work on them all the time; more are slow to look through. */
const LEAST = 24;
const MOST = 72;

/** All workers of this page that have not ended. */
export const workers = new Set<object>();

/** A worker's share: few workers ask their engines for dead memories less often. */
export function manyMemories(): number {
  return Math.max(LEAST, Math.min(MOST, Math.floor(IN_ALL / workers.size)));
}
