// The playground: puts the panels together; page.
import { Guest } from "./guest.ts";
import { findElement } from "./make-element.ts";
import { CallsPanel } from "./panels/calls-panel.ts";
import { chartPanel } from "./panels/chart-panel.ts";
import { EditorPanel } from "./panels/editor-panel.ts";
import { examplesMenu } from "./panels/examples-menu.ts";
import { FilesPanel } from "./panels/files-panel.ts";
import { folds } from "./panels/folds.ts";
import { GateDialog } from "./panels/gate-dialog.ts";
import { keepProgram } from "./panels/kept-program.ts";
import { lampsPanel } from "./panels/lamps-panel.ts";
import { OutputPanel } from "./panels/output-panel.ts";
import { pagePanel } from "./panels/page-panel.ts";
import { RunBar } from "./panels/run-bar.ts";
import { themeToggle } from "./panels/theme-toggle.ts";
import { showTools } from "./panels/tools-panel.ts";
import { WheelsPanel } from "./panels/wheels-panel.ts";
import { Runner } from "./runner.ts";
import { chartTool } from "./tools/chart-tool.ts";
import { lampTools } from "./tools/lamp-tools.ts";
import { orderTool } from "./tools/order-tool.ts";
import { pageInfoTool } from "./tools/page-info-tool.ts";
import { regionTool } from "./tools/region-tool.ts";
import { WheelShelf } from "./wheels/wheel-shelf.ts";

themeToggle();

const tools = [
  regionTool,
  pageInfoTool,
  ...lampTools(lampsPanel(findElement("lamps", HTMLElement))),
  chartTool(chartPanel(findElement("chart", HTMLElement))),
  orderTool,
];
showTools(tools);
pagePanel();
folds();

const editor = new EditorPanel(tools.map(({ name }) => name));
const shown = examplesMenu(({ program }) => editor.replace(program));
keepProgram(editor, shown);

const transport = findElement("transport", HTMLElement);
const python = findElement("python", HTMLElement);
const bar = new RunBar({
  run: () => void runner.start(editor.text()),
  stop: () => runner.stop(),
});
const guest = new Guest((load) => {
  bar.progress(load.state === "loading" ? load : undefined);
  if (load.state !== "ready") return;
  transport.textContent = load.sandbox.transport;
  python.textContent = load.python;
});
const shelf = new WheelShelf(() => guest.pythonVersion());
const wheels = new WheelsPanel(shelf);
const runner = new Runner({
  guest,
  tools,
  bar,
  output: new OutputPanel(),
  calls: new CallsPanel(),
  gate: new GateDialog(),
  files: new FilesPanel((wheel) => void wheels.add([wheel])),
  shelf,
});

editor.upgrade().catch((error: unknown) => console.warn("The plain editor stays:", error));

// Megabytes before anybody has pressed Run: not for readers who asked to save data.
const { connection } = navigator as { connection?: { saveData?: boolean } };
if (connection?.saveData) bar.say("Run loads Python first", "idle");
else void runner.preload();
