// All who want to hear of one signal's abort, behind a single listener; page, worker and Node.

/** Who waits for a signal, and its listener, which is there only while somebody does. */
interface Waiting {
  readonly listeners: Set<() => void>;
  readonly tell: () => void;
}

const signals = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `listener` once `signal` aborts; gives what takes it away again. A page's signal may serve any number of runs and
 * calls at once, and Node warns of a leak where a signal has more than ten listeners.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let waiting = signals.get(signal);
  if (!waiting) {
    const listeners = new Set<() => void>();
    waiting = { listeners, tell: () => listeners.forEach((each) => each()) };
    signals.set(signal, waiting);
  }
  const { listeners, tell } = waiting;
  if (listeners.size === 0) signal.addEventListener("abort", tell, { once: true });
  listeners.add(listener);
  return () => {
    if (listeners.delete(listener) && listeners.size === 0) {
      signal.removeEventListener("abort", tell);
    }
  };
}
