// The packages page: puts its panels together; page.
import { inspectModule, loadPackage, PackageCrash, type FunctionPackage } from "sallyport/package";
import { findElement, makeElement } from "../make-element.ts";
import { themeToggle } from "../panels/theme-toggle.ts";
import { AnswerPanel } from "./answer-panel.ts";
import { exampleMenu } from "./example-menu.ts";
import { filePicker } from "./file-picker.ts";
import { readModule } from "./read-module.ts";
import { showReport } from "./report-panel.ts";
import { toolForm } from "./tool-form.ts";
import { VolumePanel } from "./volume-panel.ts";

themeToggle();

const status = findElement("status", HTMLElement);
const tools = findElement("tools", HTMLElement);
const answer = new AnswerPanel();
const volume = new VolumePanel();
let loaded: FunctionPackage | undefined;

/** Only the package that was asked for last is shown, whichever is ready first. */
let asked = 0;

async function open(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const turn = ++asked;
  loaded?.close();
  loaded = undefined;
  running?.abort();
  running = undefined;
  tools.replaceChildren(makeElement("p", { class: "placeholder" }, "…"));
  answer.clear();
  say(`Looking at ${name}`);
  try {
    const module = await readModule(bytes);
    const report = module && (await inspectModule(module));
    if (turn !== asked) return;
    showReport(report);
    const next = await loadPackage(bytes);
    if (turn !== asked) return next.close();
    loaded = next;
    tools.replaceChildren(
      ...next.tools.map((tool) => toolForm(tool, (which, args) => void call(which, args))),
    );
    say(
      `${next.manifest?.name ?? name}: ${next.tools.length === 1 ? "1 tool" : `${next.tools.length} tools`}`,
      "good",
    );
  } catch (error) {
    if (turn !== asked) return;
    tools.replaceChildren(makeElement("p", { class: "placeholder" }, "No tools."));
    say((error as Error).message, "bad");
    if (error instanceof PackageCrash && error.stderr !== "") answer.stderr(error.stderr);
  }
}

/** The call under way; another one takes its place. */
let running: AbortController | undefined;

async function call(name: string, args: Record<string, unknown>): Promise<void> {
  if (!loaded) return;
  running?.abort();
  const own = (running = new AbortController());
  const { signal } = own;
  const begin = performance.now();
  answer.begin(name, () => own.abort());
  try {
    const options = {
      volume: await volume.current(),
      signal,
      onStderr: (text: string) => own === running && answer.stderr(text),
    };
    const result = await loaded.call(name, args, options);
    if (own === running) answer.show(result, performance.now() - begin);
  } catch (error) {
    if (own === running) answer.fail(error as Error);
  }
  await volume.refresh();
}

function say(text: string, mood: "good" | "bad" | "" = ""): void {
  status.textContent = text;
  status.className = mood;
}

/** A folder that was dropped cannot be read, nor a file that is gone meanwhile. */
function failed(error: unknown): void {
  say((error as Error).message, "bad");
}

filePicker((file) => {
  file.arrayBuffer().then((buffer) => open(file.name, new Uint8Array(buffer)), failed);
});
exampleMenu((name, bytes) => void open(name, bytes), failed);
