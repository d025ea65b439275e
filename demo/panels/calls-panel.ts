// The live record of the guest's calls: what it asked, what it got, how long that took; page.
import type { CallRecord } from "sallyport";
import { formatCall, formatValue } from "../format-value.ts";
import { findElement, makeElement } from "../make-element.ts";

const MOST_ROWS = 200;
const LINE_CHARACTERS = 160;
const FULL_CHARACTERS = 8_000;

interface Row {
  readonly item: HTMLLIElement;
  readonly time: HTMLElement;
  readonly answer: HTMLElement;
  readonly full: HTMLElement;
}

/** The panel: newest call at the bottom, the oldest rows go when there are many. Holds text only, never the values. */
export class CallsPanel {
  private readonly list = findElement("calls", HTMLOListElement);
  private readonly count = findElement("calls-count", HTMLElement);
  private readonly empty = findElement("calls-empty", HTMLElement);
  private rows = new WeakMap<CallRecord, Row>();
  private total = 0;
  private scrolling = false;
  /** The list follows the newest row until somebody scrolls up, and again from the end. */
  private atEnd = true;
  private lastTop = 0;

  constructor() {
    const { list } = this;
    list.addEventListener("scroll", () => {
      // The event comes late: rows that were added meanwhile are no sign that somebody has scrolled.
      const { scrollTop } = list;
      if (list.scrollHeight - scrollTop - list.clientHeight < 30) this.atEnd = true;
      else if (scrollTop < this.lastTop) this.atEnd = false;
      this.lastTop = scrollTop;
    });
  }

  /** Forgets the record of the run before. */
  clear(): void {
    this.rows = new WeakMap();
    this.list.replaceChildren();
    this.total = 0;
    this.atEnd = true;
    this.lastTop = 0;
    this.showCount();
  }

  /** As `run({ onCall })` takes it. */
  readonly onCall = (call: CallRecord, phase: "start" | "end"): void => {
    if (phase === "start") this.add(call);
    else this.finish(call);
  };

  private add(call: CallRecord): void {
    const row = makeRow(call);
    this.rows.set(call, row);
    this.list.append(row.item);
    if (this.list.childElementCount > MOST_ROWS) this.list.firstElementChild?.remove();
    this.total++;
    this.showCount();
    this.follow();
  }

  private finish(call: CallRecord): void {
    const row = this.rows.get(call);
    if (!row) return;
    const { kind, error, hostError } = call;
    row.item.dataset["kind"] = kind;
    row.time.textContent = formatMilliseconds(call.durationMs ?? 0);
    const answer = kind === "ok" ? answerText(call) : `${kind}: ${error?.message ?? ""}`;
    row.answer.textContent = cut(answer, LINE_CHARACTERS);
    row.full.append(`\n→ ${cut(answer, FULL_CHARACTERS)}`);
    // What the tool really threw is for the page alone: the guest has only been told the line above.
    if (hostError) row.full.append(`\n  (page: ${hostError.type}: ${hostError.message})`);
    this.rows.delete(call);
    this.follow();
  }

  private showCount(): void {
    this.count.textContent = this.total === 0 ? "" : this.total.toLocaleString("en");
    this.empty.hidden = this.total > 0;
  }

  /** Once a frame, however many calls there are: asking for a scroll position lays out the page. */
  private follow(): void {
    if (this.scrolling || !this.atEnd) return;
    this.scrolling = true;
    requestAnimationFrame(() => {
      this.scrolling = false;
      this.list.scrollTop = this.list.scrollHeight;
    });
  }
}

function makeRow({ name, arguments: args }: CallRecord): Row {
  const time = makeElement("span", { class: "call-time" }, "…");
  const answer = makeElement("span", { class: "call-answer" }, "waiting");
  const full = makeElement("pre", { class: "call-full" }, formatCall(name, args, FULL_CHARACTERS));
  const summary = makeElement(
    "summary",
    {},
    makeElement("code", { class: "call-line" }, formatCall(name, args, LINE_CHARACTERS)),
    answer,
    time,
  );
  const item = makeElement(
    "li",
    { "data-kind": "running" },
    makeElement("details", {}, summary, full),
  );
  return { item, time, answer, full };
}

/** The record keeps answers up to a limit; past it only their sizes. */
function answerText(call: CallRecord): string {
  if (Object.hasOwn(call, "answer")) return formatValue(call.answer, FULL_CHARACTERS);
  return `${(call.answerBytes ?? 0).toLocaleString("en")} bytes`;
}

function formatMilliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms).toLocaleString("en")} ms`;
}

function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
