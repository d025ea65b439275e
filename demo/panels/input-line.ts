// The field under the output: what is typed there is the program's stdin; page.
import { findElement } from "../make-element.ts";

/** Output that stops in the middle of a line for this long is taken for a question. */
const QUESTION_MS = 150;
const IDLE_HINT = "input() is answered here";
const OPEN_HINT = "Type a line, press Enter";

/** One line at a time, echoed into the output. Ctrl+D, or the button, is the end of the input. */
export class InputLine {
  private readonly form = findElement("input-form", HTMLFormElement);
  private readonly field = findElement("input-line", HTMLInputElement);
  private readonly endButton = findElement("input-end", HTMLButtonElement);
  private readonly sendButton = findElement("input-send", HTMLButtonElement);
  private readonly echo: (typed: string) => void;
  private writer: WritableStreamDefaultWriter<Uint8Array | string> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(echo: (typed: string) => void) {
    this.echo = echo;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.endButton.addEventListener("click", () => this.endInput());
    this.field.addEventListener("keydown", (event) => {
      if (!event.ctrlKey || event.key !== "d") return;
      event.preventDefault();
      this.endInput();
    });
    this.close();
  }

  /** A program can be answered from now on. */
  open(stdin: WritableStream<Uint8Array | string>): void {
    this.writer = stdin.getWriter();
    this.enable(true);
  }

  /** The program has ended. */
  close(): void {
    this.writer = undefined;
    this.watch(true);
    this.enable(false);
  }

  /** Told after each piece of output: a line that stays unfinished is a question, and the field shows it. */
  watch(atLineStart: boolean): void {
    clearTimeout(this.timer);
    this.form.classList.remove("asked");
    if (atLineStart || !this.writer) return;
    this.timer = setTimeout(() => {
      this.form.classList.add("asked");
      // Whoever edits meanwhile keeps the focus; whoever has just pressed Run wants to answer.
      const focused = document.activeElement;
      if (focused === document.body || focused?.id === "run") this.field.focus();
    }, QUESTION_MS);
  }

  private send(): void {
    if (!this.writer) return;
    const line = `${this.field.value}\n`;
    this.field.value = "";
    this.form.classList.remove("asked");
    this.echo(line);
    this.writer.write(line).catch(() => {}); // the program ended meanwhile, and its result says how
  }

  private endInput(): void {
    const { writer } = this;
    if (!writer) return;
    this.close();
    writer.close().catch(() => {});
  }

  /** Read-only instead of disabled, so that the keyboard's place is not lost when a program ends. */
  private enable(open: boolean): void {
    this.field.readOnly = !open;
    this.field.placeholder = open ? OPEN_HINT : IDLE_HINT;
    for (const button of [this.endButton, this.sendButton]) {
      button.setAttribute("aria-disabled", String(!open));
    }
  }
}
