// What this page offers to guests, as doctor() sees it, to be read and to be copied; page.
import { doctor, type Diagnosis, type Finding } from "sallyport";
import { findElement, makeElement } from "../make-element.ts";

const COPIED_MS = 2_000;

/** Brings the card to life. Each opening looks anew: doctor() starts a worker, which nobody needs before. */
export function pagePanel(): void {
  const details = findElement("page", HTMLDetailsElement);
  const verdict = findElement("page-verdict", HTMLElement);
  const list = findElement("page-list", HTMLElement);
  const text = findElement("page-text", HTMLElement);
  const copy = findElement("page-copy", HTMLButtonElement);
  let latest: Promise<Diagnosis> | undefined;
  details.addEventListener("toggle", () => void look());
  copy.addEventListener("click", () => void copyText(text, copy));

  async function look(): Promise<void> {
    if (!details.open) return;
    verdict.textContent = "Looking…";
    const mine = (latest = doctor());
    const diagnosis = await mine;
    if (latest !== mine) return; // opened again meanwhile
    verdict.textContent = summary(diagnosis);
    list.replaceChildren(...diagnosis.findings.flatMap(entry));
    text.textContent = String(diagnosis);
    text.hidden = false;
    copy.setAttribute("aria-disabled", "false");
  }
}

function summary({ ok, transport, findings }: Diagnosis): string {
  if (!ok) return "Guests cannot run here, or cannot wait";
  const looks = findings.filter((finding) => !finding.ok).length;
  return `Guests run here by ${transport}${looks > 0 ? `; ${looks} to look at` : ""}`;
}

function entry({ name, ok, found, fix }: Finding): HTMLElement[] {
  const mark = ok ? "ok" : "look";
  return [
    makeElement("dt", {}, makeElement("span", { class: "mark", "data-mark": mark }, mark), name),
    makeElement("dd", {}, found),
    ...(fix ? [makeElement("dd", { class: "fix" }, fix)] : []),
  ];
}

/** Where the clipboard is out of reach the text is selected instead, one key from being copied. */
async function copyText(text: HTMLElement, button: HTMLButtonElement): Promise<void> {
  if (button.getAttribute("aria-disabled") === "true") return;
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection()?.selectAllChildren(text);
    text.focus();
    button.textContent = "Selected";
  }
  setTimeout(() => {
    button.textContent = "Copy as text";
  }, COPIED_MS);
}
