// One program at a time, from Run to its end, and what the panels are told meanwhile; page.
import { SandboxError, type RunResult, type Tool } from "sallyport";
import type { Guest } from "./guest.ts";
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
      await guest.sandbox();
      if (!this.stopping) bar.say("Ready", "idle");
    } catch (error) {
      if (this.stopping) return; // the waiting run says it
      bar.say("Python did not load; Run tries again", "bad");
      output.say(messageOf(error));
    }
  }

  stop(): void {
    this.stopping?.abort(new DOMException("Stop was pressed", "AbortError"));
  }

  private clear(): void {
    const { output, calls, files, gate } = this.parts;
    output.clear();
    calls.clear();
    files.clear();
    gate.reset();
  }

  private async run(program: string, signal: AbortSignal): Promise<RunResult> {
    const { guest, tools, bar, output, calls, gate, shelf } = this.parts;
    bar.say("Waiting for Python to load", "busy");
    const sandbox = await unlessAborted(guest.sandbox(), signal);
    bar.say("Running", "busy");
    bar.startClock();
    const run = sandbox.run({
      // Unbuffered, or what is printed would come in blocks; from a file, so that tracebacks show the lines.
      args: ["-u", "/main.py"],
      argv0: "python",
      env: { PYTHONDONTWRITEBYTECODE: "1", ...shelf.folder?.env },
      files: { "/main.py": program, ...SAMPLE_FILES },
      mounts: { ...shelf.folder?.mounts },
      stdin: "interactive",
      tools,
      gate: gate.gate,
      onCall: calls.onCall,
      budget: BUDGET,
      // The panel shows the output as it comes; nothing of it has to be kept for the result.
      limits: { timeoutMs: OWN_TIME_MS, outputBytes: 0, fileBytes: FILE_BYTES },
      signal,
    });
    const [result] = await Promise.all([run.result, output.show(run)]);
    return result;
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
