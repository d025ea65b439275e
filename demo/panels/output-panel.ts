// What the program writes, as it comes, and the line that answers input(); page.
import { findElement } from "../make-element.ts";
import { InputLine } from "./input-line.ts";
import { OutputLog } from "./output-log.ts";

/** What the panel needs of a run. */
export interface Streams {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  readonly stdin: WritableStream<Uint8Array | string> | undefined;
}

/** The panel. One run at a time is attached to it. */
export class OutputPanel {
  private readonly log: OutputLog;
  private readonly line: InputLine;

  constructor() {
    const host = findElement("output", HTMLElement);
    this.line = new InputLine((typed) => void this.log.append("in", typed));
    this.log = new OutputLog(host, () => this.line.watch(this.log.atLineStart));
    findElement("clear-output", HTMLButtonElement).addEventListener("click", () => {
      this.log.clear();
    });
  }

  /** Shows a run's output from its first byte. Resolves when both streams have ended and all of it has been drawn. */
  async show({ stdout, stderr, stdin }: Streams): Promise<void> {
    if (stdin) this.line.open(stdin);
    try {
      await Promise.all([this.print(stdout, "out"), this.print(stderr, "err")]);
      await this.log.drawn();
    } finally {
      this.line.close();
    }
  }

  clear(): void {
    this.log.clear();
  }

  /** Says something that did not come from the program. */
  say(message: string): void {
    void this.log.append("err", this.log.atLineStart ? `${message}\n` : `\n${message}\n`);
  }

  /** Reads no faster than the page draws: the guest waits, instead of filling the page's memory. */
  private async print(stream: ReadableStream<Uint8Array>, kind: "out" | "err"): Promise<void> {
    const decoder = new TextDecoder();
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await this.log.append(kind, decoder.decode(next.value, { stream: true }));
    }
    void this.log.append(kind, decoder.decode());
  }
}
