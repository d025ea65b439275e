// One program at a time, from Run to its end, and what the panels are told meanwhile; page.
import { SandboxError, type RunOptions, type RunResult, type Tool } from "sallyport";
import type { Guest, Sandbox } from "./guest.ts";
import type { CallsPanel } from "./panels/calls-panel.ts";
import type { FilesPanel } from "./panels/files-panel.ts";
import type { GateDialog } from "./panels/gate-dialog.ts";
import type { OutputPanel } from "./panels/output-panel.ts";
import { formatSeconds, type Mood, type RunBar } from "./panels/run-bar.ts";
import { SAMPLE_FILES } from "./sample-files.ts";
import type { WheelShelf } from "./wheels/wheel-shelf.ts";

/** The guest's own time; waiting for a person, or for a tool, is not counted. */
const OWN_TIME_MS = 5 * 60_000;
const FILE_BYTES = 64 * 1024 * 1024;
/** A board of lamps is a call a lamp: the default of 1,000 would be used up at once. */
const BUDGET = { frames: 100_000, bytes: 64 * 1024 * 1024 };

/** Reads and calls as programs do, and changes nothing. */
const REHEARSAL = `from host import tools
for name in dir(tools): getattr(tools, name).__doc__
try: raise ValueError(f"{len(dir(tools)):>3}")
except ValueError as error: print(error, [line.split() for line in open("/data/sales.csv")])
`;

/** What a runner works with. */
export interface RunnerParts {
  readonly guest: Guest;
  readonly tools: readonly Tool[];
  readonly bar: RunBar;
  readonly output: OutputPanel;
  readonly calls: CallsPanel;
  readonly gate: GateDialog;
  readonly files: FilesPanel;
  readonly shelf: WheelShelf;
}

/** Starts and stops programs. */
export class Runner {
  private readonly parts: RunnerParts;
  private stopping: AbortController | undefined;
  private rehearsed: Promise<void> | undefined;

  constructor(parts: RunnerParts) {
    this.parts = parts;
  }

  /** Does nothing while a program runs. Never rejects: the panels say what went wrong. */
  async start(program: string): Promise<void> {
    if (this.stopping) return;
    const stopping = new AbortController();
    this.stopping = stopping;
    const { bar } = this.parts;
    this.clear();
    bar.busy(true);
    try {
      const result = await this.run(program, stopping.signal);
      const { text, mood } = ending(result);
      bar.say(text, mood);
      this.explain(result);
    } catch (error) {
      bar.say(stopping.signal.aborted ? "Stopped before it began" : "Failed", "bad");
      if (!stopping.signal.aborted) this.parts.output.say(messageOf(error));
    } finally {
      this.stopping = undefined;
      bar.stopClock();
      bar.busy(false);
    }
  }

  /** Loads the interpreter before anybody asks for it. Never rejects. */
  async preload(): Promise<void> {
    const { guest, bar, output } = this.parts;
    try {
      const sandbox = await guest.sandbox();
      if (!this.stopping) bar.say("Ready", "idle");
      if (sandbox.snapshot) this.rehearsed = this.rehearse(sandbox);
    } catch (error) {
      if (this.stopping) return; // the waiting run says it
      bar.say("Python did not load; Run tries again", "bad");
      output.say(messageOf(error));
    }
  }

  stop(): void {
    this.stopping?.abort(new DOMException("Stop was pressed", "AbortError"));
  }

  /** The browser compiles each function of the interpreter when it is first called: that need nobody wait for. */
  private async rehearse(sandbox: Sandbox): Promise<void> {
    const run = sandbox.run(this.options(REHEARSAL));
    await run.result.catch(() => {}); // the next program meets the same, and says it
  }

  private clear(): void {
    const { output, calls, files, gate } = this.parts;
    output.clear();
    calls.clear();
    files.clear();
    gate.reset();
  }

  private async run(program: string, signal: AbortSignal): Promise<RunResult> {
    const { guest, bar, output, calls, gate } = this.parts;
    bar.say("Waiting for Python to load", "busy");
    const sandbox = await unlessAborted(guest.sandbox(), signal);
    await unlessAborted(Promise.resolve(this.rehearsed), signal);
    bar.say("Running", "busy");
    bar.startClock();
    const run = sandbox.run({
      ...this.options(program),
      gate: gate.gate,
      onCall: calls.onCall,
      signal,
    });
    const [result] = await Promise.all([run.result, output.show(run)]);
    return result;
  }

  private options(program: string): RunOptions {
    const { tools, shelf } = this.parts;
    return {
      // Unbuffered, or what is printed would come in blocks; from a file, so that tracebacks show the lines.
      args: ["-u", "/main.py"],
      argv0: "python",
      env: { PYTHONDONTWRITEBYTECODE: "1", ...shelf.folder?.env },
      files: { "/main.py": program, ...SAMPLE_FILES },
      mounts: { ...shelf.folder?.mounts },
      stdin: "interactive",
      tools,
      budget: BUDGET,
      // The panel shows the output as it comes; nothing of it has to be kept for the result.
      limits: { timeoutMs: OWN_TIME_MS, outputBytes: 0, fileBytes: FILE_BYTES },
    };
  }

  private explain({ status, error, files }: RunResult): void {
    if (files) this.parts.files.show(files);
    if (error && status !== "killed") this.parts.output.say(error.message);
  }
}

function ending(result: RunResult): { text: string; mood: Mood } {
  const { status, exitCode, reason } = result;
  const time = formatSeconds(result.durationMs);
  const own = `${time} (${formatSeconds(result.guestMs)} of its own)`;
  if (status === "exited") {
    const mood = exitCode === 0 ? "good" : "bad";
    return { text: `Exited with code ${exitCode} after ${own}`, mood };
  }
  if (status === "killed") return { text: `Stopped after ${time}`, mood: "idle" };
  if (status === "timeout") return { text: `Out of time after ${own}`, mood: "bad" };
  if (status === "trapped") return { text: `Crashed (${reason}) after ${own}`, mood: "bad" };
  return { text: "This browser cannot run it", mood: "bad" };
}

/** Loading goes on for the next run; this one need not wait for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

function messageOf(error: unknown): string {
  if (error instanceof SandboxError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
