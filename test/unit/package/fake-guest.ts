// A package's instance without WebAssembly: a script of what it prints and how it ends, for tests; Node.

import type { GuestEnd, GuestRun, GuestStart, RunGuest } from "../../../src/package/run-guest.ts";

/** What a script can do. */
export interface FakeGuest {
  /** The next request, once the one before was answered; undefined at the end of stdin. */
  read(): Promise<FakeRequest | undefined>;
  /** Prints raw text on stdout. */
  print(text: string): void;
  /** Prints raw bytes on stdout. */
  printBytes(bytes: Uint8Array): void;
  /** Answers a request with a result. */
  answer(request: FakeRequest, result: object): void;
  warn(text: string): void;
  /** Settles once the session has killed the guest. */
  readonly killed: Promise<void>;
  readonly start: GuestStart;
}

export interface FakeRequest {
  readonly id: string;
  readonly method: string;
  readonly params: Record<string, unknown> & { _meta: Record<string, unknown> };
}

const encoder = new TextEncoder();

/** Ends the script as a guest that exited with code 0 when it returns nothing. */
export function fakeGuest(script: (guest: FakeGuest) => Promise<GuestEnd | void>): RunGuest & {
  readonly starts: GuestStart[];
} {
  const starts: GuestStart[] = [];
  const run = (start: GuestStart): GuestRun => {
    starts.push(start);
    const lines = [...start.lines];
    const input = { atEnd: !start.more };
    let wake = (): void => {};
    let stop!: () => void;
    const killed = new Promise<void>((resolve) => (stop = resolve));
    const guest: FakeGuest = {
      start,
      killed,
      print: (text) => start.onStdout(encoder.encode(text)),
      printBytes: (bytes) => start.onStdout(bytes),
      warn: (text) => start.onStderr(encoder.encode(text)),
      answer: ({ id }, result) =>
        guest.print(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`),
      async read() {
        while (lines.length === 0 && !input.atEnd)
          await new Promise<void>((resolve) => (wake = resolve));
        const line = lines.shift();
        return line && (JSON.parse(new TextDecoder().decode(line)) as FakeRequest);
      },
    };
    const ended = (async (): Promise<GuestEnd> => {
      await Promise.resolve(); // a real guest never ends before its start returned
      const died = killed.then((): GuestEnd => ({ status: "killed" }));
      const lived = script(guest).then((end): GuestEnd => end ?? { status: "exited", exitCode: 0 });
      return Promise.race([lived, died]);
    })();
    return {
      send: (line) => (lines.push(line), wake()),
      endInput: () => ((input.atEnd = true), wake()),
      kill: stop,
      ended,
    };
  };
  return Object.assign(run, { starts });
}
