// Keeps an edited program while the tab lives, over a reload and a visit to another page; page.
import type { Example } from "../examples/index.ts";
import type { Editor } from "./editor-panel.ts";

const KEY = "sallyport-program";

interface Kept {
  readonly example: string;
  readonly text: string;
}

/** Puts back what was edited when this tab last showed this example, and remembers what is edited now. */
export function keepProgram(editor: Pick<Editor, "text" | "replace">, shown: () => Example): void {
  const kept = read();
  if (kept?.example === shown().id) editor.replace(kept.text);
  addEventListener("pagehide", () => {
    const { id, program } = shown();
    const text = editor.text();
    write(text === program ? undefined : { example: id, text });
  });
}

/** Storage may be forbidden or full; then an edited program lasts as long as the page. */
function read(): Kept | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Partial<Kept> | null;
    const { example, text } = value ?? {};
    return typeof example === "string" && typeof text === "string" ? { example, text } : undefined;
  } catch {
    return undefined;
  }
}

function write(kept: Kept | undefined): void {
  try {
    if (kept) sessionStorage.setItem(KEY, JSON.stringify(kept));
    else sessionStorage.removeItem(KEY);
  } catch {
    // see above
  }
}
