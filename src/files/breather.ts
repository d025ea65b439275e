// Long work in pieces that leave a page its turns: clicks, frames, timers; page, worker and Node.

/** Milliseconds of work between two turns of the page. */
const WORK_MS = 12;

/** Lets whoever shares this thread have a turn, whenever enough work was done. */
export class Breather {
  #since = performance.now();

  /** Returns at once unless it is time. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#since < WORK_MS) return;
    await turn();
    this.#since = performance.now();
  }
}

/** Not a timer: browsers hold nested ones back by 4 ms each. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(0);
  });
}
