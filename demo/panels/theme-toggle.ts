// Light or dark: the system's choice until the button is pressed, then the reader's; page.
import { findElement } from "../make-element.ts";

const KEY = "sallyport-theme";

/** Brings the button to life and the remembered choice into force. */
export function themeToggle(): void {
  const button = findElement("theme", HTMLButtonElement);
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = (): boolean =>
    (root.dataset["theme"] ?? (system.matches ? "dark" : "light")) === "dark";
  const show = (): void => button.setAttribute("aria-pressed", String(isDark()));
  const chosen = remembered();
  if (chosen) root.dataset["theme"] = chosen;
  system.addEventListener("change", show);
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    root.dataset["theme"] = theme;
    remember(theme);
    show();
  });
  show();
}

/** Storage may be forbidden; the choice then lasts as long as the page. */
function remembered(): "light" | "dark" | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined;
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // see above
  }
}
