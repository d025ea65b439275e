// What a program has written, in the page: drawn frame by frame, and never more than so many characters; page.
import { makeElement } from "../make-element.ts";

/** Where text comes from: the program's two streams, or the person who types for `input()`. */
export type LogKind = "out" | "err" | "in";

const MOST_CHARACTERS = 200_000;
/** Text waiting for the next frame; more makes the reader wait. */
const MOST_PENDING = 64 * 1024;
/** A block is closed at the first line break after this many characters, so that appending lays out little. */
const BLOCK_CHARACTERS = 4_096;
/** …and in the middle of a line after this many. */
const LONGEST_BLOCK = 32_768;
/** Frames stop in hidden tabs; a program must not. */
const LONGEST_FRAME_MS = 250;

interface Block {
  readonly element: HTMLElement;
  readonly kind: "out" | "err";
  characters: number;
  endsLine: boolean;
}

/** Appends text to a scrolling element; the oldest goes when there is too much. */
export class OutputLog {
  private readonly host: HTMLElement;
  private readonly afterDrawing: () => void;
  private blocks: Block[] = [];
  private characters = 0;
  private dropped = 0;
  private readonly notice = makeElement("p", { class: "output-dropped" });
  private pending: { kind: LogKind; text: string }[] = [];
  private pendingCharacters = 0;
  private frame: Promise<void> | undefined;
  /** Whether the last text ended a line; a program that stops in the middle of one may be asking something. */
  atLineStart = true;

  /** `afterDrawing` is called after each frame in which something was appended. */
  constructor(host: HTMLElement, afterDrawing: () => void) {
    this.host = host;
    this.afterDrawing = afterDrawing;
  }

  /** Resolves at once while there is room, else when the text has been drawn. */
  append(kind: LogKind, text: string): Promise<void> | undefined {
    if (text === "") return undefined;
    this.atLineStart = text.endsWith("\n");
    this.pending.push({ kind, text });
    this.pendingCharacters += text.length;
    this.frame ??= this.nextFrame();
    return this.pendingCharacters > MOST_PENDING ? this.frame : undefined;
  }

  /** Resolves when all that was appended has been drawn. */
  async drawn(): Promise<void> {
    await this.frame;
  }

  clear(): void {
    this.pending = [];
    this.pendingCharacters = 0;
    this.blocks = [];
    this.characters = 0;
    this.dropped = 0;
    this.atLineStart = true;
    this.host.replaceChildren();
  }

  private async nextFrame(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LONGEST_FRAME_MS);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.frame = undefined;
    this.draw();
  }

  private draw(): void {
    const { host } = this;
    const atEnd = host.scrollHeight - host.scrollTop - host.clientHeight < 24;
    for (const { kind, text } of this.pending) this.write(kind, text);
    this.pending = [];
    this.pendingCharacters = 0;
    this.trim();
    if (atEnd) host.scrollTop = host.scrollHeight;
    this.afterDrawing();
  }

  private write(kind: LogKind, text: string): void {
    let rest = text;
    while (rest !== "") {
      const block = this.blockFor(kind === "err" ? "err" : "out");
      const piece = rest.slice(0, pieceLength(rest, block.characters));
      rest = rest.slice(piece.length);
      const last = block.element.lastChild;
      if (kind === "in") block.element.append(makeElement("span", { class: "typed" }, piece));
      else if (last instanceof Text) last.appendData(piece);
      else block.element.append(piece);
      block.characters += piece.length;
      block.endsLine = piece.endsWith("\n");
      this.characters += piece.length;
    }
  }

  private blockFor(kind: "out" | "err"): Block {
    const last = this.blocks.at(-1);
    if (last?.kind === kind && !isFull(last)) return last;
    const element =
      kind === "err"
        ? makeElement("div", { class: "err", role: "group", "aria-label": "Standard error" })
        : makeElement("div", { class: "out" });
    const block = { element, kind, characters: 0, endsLine: true };
    this.blocks.push(block);
    this.host.append(element);
    return block;
  }

  private trim(): void {
    let gone = 0;
    while (this.characters > MOST_CHARACTERS && gone < this.blocks.length - 1) {
      const block = this.blocks[gone++]!;
      block.element.remove();
      this.characters -= block.characters;
      this.dropped += block.characters;
    }
    if (gone === 0) return;
    this.blocks.splice(0, gone);
    this.notice.textContent = `The first ${this.dropped.toLocaleString("en")} characters are no longer shown.`;
    this.host.prepend(this.notice);
  }
}

function isFull({ characters, endsLine }: Block): boolean {
  return characters >= LONGEST_BLOCK || (characters >= BLOCK_CHARACTERS && endsLine);
}

/** How much of a text goes into a block that holds `used` characters already. */
function pieceLength(text: string, used: number): number {
  const lineEnd = text.indexOf("\n", Math.max(0, BLOCK_CHARACTERS - used));
  const wanted = lineEnd === -1 ? text.length : lineEnd + 1;
  return Math.min(wanted, Math.max(1, LONGEST_BLOCK - used));
}
