// Run and Stop, how far loading is, and how the run goes: state, time, exit code; page.
import { findElement } from "../make-element.ts";

/** How a finished run is shown. */
export type Mood = "idle" | "busy" | "good" | "bad";

const TICK_MS = 100;

/** The bar above the panels. */
export class RunBar {
  private readonly runButton = findElement("run", HTMLButtonElement);
  private readonly stopButton = findElement("stop", HTMLButtonElement);
  private readonly status = findElement("status", HTMLElement);
  /** Beside the status, not in it: a screen reader must not read out every tick. */
  private readonly clock = findElement("clock", HTMLElement);
  private readonly loading = findElement("loading", HTMLElement);
  private readonly loadingText = findElement("loading-text", HTMLElement);
  private readonly loadingBar = findElement("loading-bar", HTMLProgressElement);
  private ticking: ReturnType<typeof setInterval> | undefined;

  constructor({ run, stop }: { readonly run: () => void; readonly stop: () => void }) {
    this.runButton.addEventListener("click", run);
    this.stopButton.addEventListener("click", stop);
    // Everywhere on the page, and before the editor, which has another use for these keys.
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      run();
    };
    document.addEventListener("keydown", onKey, true);
    this.busy(false);
  }

  /** aria-disabled, not disabled: a button that loses the focus by being pressed strands the keyboard. */
  busy(busy: boolean): void {
    this.runButton.setAttribute("aria-disabled", String(busy));
    this.stopButton.setAttribute("aria-disabled", String(!busy));
  }

  say(message: string, mood: Mood): void {
    if (this.status.textContent !== message) this.status.textContent = message;
    this.status.dataset["mood"] = mood;
  }

  startClock(): void {
    const started = performance.now();
    const tick = (): void => {
      this.clock.textContent = formatSeconds(performance.now() - started);
    };
    this.stopClock();
    tick();
    this.ticking = setInterval(tick, TICK_MS);
  }

  stopClock(): void {
    clearInterval(this.ticking);
    this.clock.textContent = "";
  }

  /** Shows how much has come; undefined when it is all there. */
  progress(progress: { loaded: number; total: number | undefined } | undefined): void {
    this.loading.hidden = progress === undefined;
    if (!progress) return;
    const { loaded, total } = progress;
    const compiling = total !== undefined && loaded >= total;
    this.loadingText.textContent = compiling
      ? "Compiling Python"
      : `Loading Python, ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ""} MB`;
    // Without a value the bar shows that something goes on, not how far.
    if (total === undefined || compiling) this.loadingBar.removeAttribute("value");
    else this.loadingBar.value = loaded / total;
  }
}

/** `1.24 s`, which no line break parts. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(milliseconds < 9_995 ? 2 : 1)}\u00a0s`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
