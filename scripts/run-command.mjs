// Runs a child process under a deadline, with all that it starts; Node built-ins only.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const windows = process.platform === "win32";
const killGraceMs = 5_000;
const running = new Set();

/**
 * Runs a command and never rejects. On POSIX the child leads a process group, which is ended as a whole: at the
 * deadline, when this process is told to stop, and for whatever is left over when the child itself has ended.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, env?: Record<string, string | undefined>, cwd?: string, capture?: boolean, shell?: boolean }} options
 *   `capture` collects stdout and stderr in `output` instead of showing them.
 * @returns {Promise<{ ok: boolean, code: number | null, timedOut: boolean, seconds: number, output: string }>}
 */
export function runCommand(command, args, options) {
  const started = performance.now();
  endChildrenOnSignals();
  return new Promise((resolve) => {
    let output = "";
    let timedOut = false;
    let settled = false;
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", options.capture ? "pipe" : "inherit", options.capture ? "pipe" : "inherit"],
      detached: !windows,
      shell: options.shell ?? false,
    });
    running.add(child);
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup(child, "SIGTERM");
      setTimeout(() => endGroup(child, "SIGKILL"), killGraceMs).unref();
    }, options.timeoutMs);
    const settle = (code, text) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      running.delete(child);
      endGroup(child, "SIGKILL");
      const seconds = (performance.now() - started) / 1_000;
      resolve({ ok: code === 0 && !timedOut, code, timedOut, seconds, output: output + text });
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => (output += text));
    }
    child.on("error", (error) => settle(null, String(error)));
    // "exit" and not "close": a stray grandchild that holds the pipes must not hold us.
    child.on("exit", (code) => setTimeout(settle, options.capture ? 20 : 0, code, ""));
  });
}

/**
 * Runs the command-line program of an installed package, without a shell.
 *
 * @param {string} name the package
 * @param {string} program the name in its `bin` table
 * @param {readonly string[]} args
 * @param {Parameters<typeof runCommand>[2]} options
 */
export function runPackage(name, program, args, options) {
  const folder = join(root, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = typeof bin === "string" ? bin : bin[program];
  return runCommand(process.execPath, [join(folder, file), ...args], options);
}

/**
 * Runs npm, by its own file where it can be found, so that no shell is needed.
 *
 * @param {readonly string[]} args
 * @param {Parameters<typeof runCommand>[2]} options
 */
export function runNpm(args, options) {
  const beside = dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    join(beside, "node_modules/npm/bin/npm-cli.js"),
    join(beside, "../lib/node_modules/npm/bin/npm-cli.js"),
  ];
  const file = candidates.find(
    (path) => path && /npm-cli\.[cm]?js$/.test(path) && existsSync(path),
  );
  if (file) return runCommand(process.execPath, [file, ...args], options);
  return runCommand("npm", args, { ...options, shell: windows });
}

function endGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (windows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

let listening = false;

/** Told to stop, we take our children along; only a process that has run something listens. */
function endChildrenOnSignals() {
  if (listening) return;
  listening = true;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      for (const child of running) endGroup(child, signal);
      if (running.size === 0 && process.listenerCount(signal) > 1) return; // another closes down in order
      setTimeout(() => {
        for (const child of running) endGroup(child, "SIGKILL");
        process.exit(130);
      }, 1_000);
    });
  }
}
