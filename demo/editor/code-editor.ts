// CodeMirror 6 with Python, in a shadow tree; page, loaded lazily.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { Editor } from "../panels/editor-panel.ts";
import { codeColours, codeTheme } from "./code-theme.ts";

/** How it begins. */
export interface CodeEditorOptions {
  readonly text: string;
  /** Where the cursor is, and where what is selected ends. */
  readonly selection: readonly [number, number];
  /** What a screen reader calls it. */
  readonly label: string;
  readonly toolNames: readonly string[];
}

/**
 * Fills an element with the editor. In a document CodeMirror writes its rules into a `style` element, which only
 * `style-src 'unsafe-inline'` would allow; in a shadow tree it adopts style sheets made by script, which need no
 * permission at all.
 */
export function codeEditor(host: HTMLElement, options: CodeEditorOptions): Editor {
  const root = host.attachShadow({ mode: "open" });
  const [anchor, head] = options.selection;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      selection: { anchor, head },
      extensions: extensions(options),
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace(text) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        scrollIntoView: true,
      });
    },
    focus: () => view.focus(),
  };
}

function extensions({ label, toolNames }: CodeEditorOptions): Extension[] {
  return [
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    drawSelection(),
    history(),
    indentOnInput(),
    indentUnit.of("    "),
    EditorState.tabSize.of(4),
    bracketMatching(),
    closeBrackets(),
    python(),
    autocompletion({ override: [toolCompletions(toolNames)] }),
    syntaxHighlighting(codeColours),
    codeTheme,
    // Tab indents; Escape and then Tab leaves the editor, which CodeMirror sees to.
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      indentWithTab,
    ]),
    EditorView.domEventHandlers({ beforeinput: replaceSelection }),
    EditorView.contentAttributes.of({
      // Says what is so anyway, for those who look for it: the scrolling part holds something that takes the focus.
      tabindex: "0",
      "aria-label": `${label}. Tab indents; press Escape, then Tab, to leave the editor.`,
    }),
  ];
}

/**
 * Typing over a selection. Left to itself, Chromium carries the colours of what goes into what comes, as a `style`
 * attribute, which the policy refuses, and reports each time.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event;
  const { from, to, empty } = view.state.selection.main;
  if (inputType !== "insertText" || data === null || empty || view.composing) return false;
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), {
      userEvent: "input.type",
      scrollIntoView: true,
    });
  // Brackets that close by themselves, for one, want to be asked first.
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}

/** The page's tools, as the attributes of `tools` that they are. */
function toolCompletions(names: readonly string[]) {
  const options = names.map((label) => ({ label, type: "function" }));
  return (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(/\btools\.\w*/);
    return typed && { from: typed.from + "tools.".length, options, validFor: /^\w*$/ };
  };
}
