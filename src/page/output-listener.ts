// One output stream of a package's run: told to its session as it comes, nothing kept; page and Node.

import type { RunOutput } from "./output-stream.ts";

/** Hands chunks on at once, so there is nothing to wait for but their arrival. */
export class OutputListener implements RunOutput {
  readonly truncated = false;
  readonly #hear: (bytes: Uint8Array) => void;
  #receivedBytes = 0;
  #over = false;
  #wakeWriter: (() => void) | undefined;

  constructor(hear: (bytes: Uint8Array) => void) {
    this.#hear = hear;
  }

  /** Nothing is left for readers. */
  get stream(): ReadableStream<Uint8Array> {
    return new ReadableStream({ start: (controller) => controller.close() });
  }

  receive(bytes: Uint8Array): void {
    if (this.#over) return;
    this.#receivedBytes += bytes.byteLength;
    this.#hear(bytes);
    this.#wakeWriter?.();
  }

  room(sentBytes: number): Promise<number> | number {
    const arrived = (): boolean => this.#over || this.#receivedBytes >= sentBytes;
    if (arrived()) return 0;
    return new Promise((resolve) => {
      this.#wakeWriter = () => {
        if (arrived()) resolve(0);
      };
    });
  }

  end(): void {
    this.#over = true;
    this.#wakeWriter?.();
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(0);
  }
}
