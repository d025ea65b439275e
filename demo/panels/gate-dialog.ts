// The gate: a dialog that asks a person before a tool runs; page.
import { ToolDenied, type Gate } from "sallyport";
import { formatValue } from "../format-value.ts";
import { findElement } from "../make-element.ts";

const ARGUMENT_CHARACTERS = 600;

/** Asks for tools with `destructiveHint`; all others pass. */
export class GateDialog {
  private readonly dialog = findElement("gate", HTMLDialogElement);
  private readonly name = findElement("gate-tool", HTMLElement);
  private readonly values = findElement("gate-arguments", HTMLElement);
  private readonly remember = findElement("gate-remember", HTMLInputElement);
  private readonly allowed = new Set<string>();

  /** Forgets what was allowed for the run before. */
  reset(): void {
    this.allowed.clear();
  }

  /** As `run({ gate })` takes it. */
  readonly gate: Gate = async ({ name, arguments: args, tool, signal }) => {
    if (tool.annotations?.destructiveHint !== true || this.allowed.has(name)) return;
    if (!(await this.ask(name, args, signal))) throw new ToolDenied("you have denied it");
    if (this.remember.checked) this.allowed.add(name);
  };

  /** Escape, and a run that is stopped meanwhile, are a no. */
  private ask(name: string, args: unknown, signal: AbortSignal): Promise<boolean> {
    const { dialog } = this;
    this.name.textContent = name;
    this.values.textContent = argumentLines(args);
    this.remember.checked = false;
    dialog.returnValue = "deny";
    const close = (): void => dialog.close("deny");
    signal.addEventListener("abort", close, { once: true });
    return new Promise((resolve) => {
      const closed = (): void => {
        signal.removeEventListener("abort", close);
        resolve(dialog.returnValue === "allow");
      };
      dialog.addEventListener("close", closed, { once: true });
      // The focus begins on Deny (autofocus): a key that was meant for the page must not allow anything.
      dialog.showModal();
    });
  }
}

function argumentLines(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const lines = Object.entries(args).map(
    ([key, value]) => `${key} = ${formatValue(value, ARGUMENT_CHARACTERS)}`,
  );
  return lines.join("\n");
}
