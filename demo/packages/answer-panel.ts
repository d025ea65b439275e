// Shows what a call came to: text, images, the structured value, stderr, or the crash; page.
import { PackageCrash, renderContent, type PackageResult } from "sallyport/package";
import { findElement, makeElement } from "../make-element.ts";

/** Characters of stderr that are shown; the last ones. */
const MOST_CHARACTERS = 20_000;

/** The panel beside the tools. */
export class AnswerPanel {
  private readonly panel = findElement("answer", HTMLElement);
  private readonly log = makeElement("pre", {});
  private readonly logBox = makeElement(
    "details",
    { open: true, hidden: true },
    makeElement("summary", {}, "stderr"),
    this.log,
  );

  /** Nothing was called yet. */
  clear(): void {
    this.emptyLog();
    this.panel.replaceChildren(makeElement("p", { class: "placeholder" }, "Nothing was called."));
  }

  /** A call begins; `stop` ends it. */
  begin(name: string, stop: () => void): void {
    this.emptyLog();
    const button = makeElement("button", { class: "button", type: "button" }, "Stop");
    button.addEventListener("click", stop);
    const row = makeElement("div", { class: "row" }, makeElement("span", {}, `${name} …`), button);
    this.panel.replaceChildren(row, this.logBox);
    this.reveal();
  }

  show(result: PackageResult, ms: number): void {
    const { structuredContent } = result;
    const structure =
      structuredContent === undefined
        ? []
        : [
            makeElement(
              "details",
              {},
              makeElement("summary", {}, "structured"),
              makeElement("pre", {}, JSON.stringify(structuredContent, undefined, 2)),
            ),
          ];
    const time = makeElement("p", { class: "soft" }, `in ${ms.toFixed(1)} ms`);
    this.panel.replaceChildren(renderContent(result), ...structure, this.logBox, time);
    this.reveal();
  }

  fail(error: Error): void {
    const { code = error.name } = error as { readonly code?: string };
    const reason = error instanceof PackageCrash ? error.reason : code;
    this.panel.replaceChildren(
      makeElement("p", { class: "bad" }, error.message),
      makeElement("p", { class: "soft" }, reason),
      this.logBox,
    );
  }

  stderr(text: string): void {
    this.log.textContent = `${this.log.textContent}${text}`.slice(-MOST_CHARACTERS);
    this.logBox.hidden = false;
    if (!this.logBox.isConnected) this.panel.append(this.logBox);
  }

  /** On a phone it lies below the forms. */
  private reveal(): void {
    this.panel.scrollIntoView({ block: "nearest" });
  }

  private emptyLog(): void {
    this.log.textContent = "";
    this.logBox.hidden = true;
  }
}
