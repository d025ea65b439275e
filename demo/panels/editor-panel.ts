// The program: a text area that works at once, and CodeMirror in its place as soon as it has come; page.
import { findElement } from "../make-element.ts";

/** What either editor can do. */
export interface Editor {
  text(): string;
  /** Replaces everything, as one step that can be undone where the editor can undo. */
  replace(text: string): void;
  focus(): void;
}

/** The panel. What is typed before CodeMirror has come stays. */
export class EditorPanel implements Editor {
  private readonly area = findElement("program", HTMLTextAreaElement);
  private readonly host = findElement("code-editor", HTMLElement);
  private readonly toolNames: readonly string[];
  private editor: Editor | undefined;

  /** `toolNames` are offered while `tools.` is typed. */
  constructor(toolNames: readonly string[]) {
    this.toolNames = toolNames;
  }

  text(): string {
    return this.editor ? this.editor.text() : this.area.value;
  }

  replace(text: string): void {
    if (this.editor) this.editor.replace(text);
    else this.area.value = text;
  }

  focus(): void {
    (this.editor ?? this.area).focus();
  }

  /** Fetches CodeMirror and puts it in the text area's place. Where that fails, the text area stays. */
  async upgrade(): Promise<void> {
    const { codeEditor } = await import("../editor/code-editor.ts");
    const { area, host } = this;
    const hadFocus = document.activeElement === area;
    const { selectionStart, selectionEnd } = area;
    host.hidden = false;
    this.editor = codeEditor(host, {
      text: area.value,
      selection: [selectionStart, selectionEnd],
      label: "Python program",
      toolNames: this.toolNames,
    });
    area.hidden = true;
    if (hadFocus) this.editor.focus();
  }
}
