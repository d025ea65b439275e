// Browsers of other engines than Chromium, as a machine has them; Node.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { HeaderMode } from "../static-server.ts";

/** How a browser is started on an address, with a profile in an empty folder. */
export interface Engine {
  /** How its pages can block: the header modes to try. */
  readonly modes: readonly HeaderMode[];
  /** Cases that need what it has not. */
  readonly lacks?: { readonly cases: RegExp; readonly reason: string };
  /** Takes a new window for each case, since `terminate()` leaves guests computing. */
  readonly leavesSpinning?: boolean;
  readonly command: string;
  readonly args: (folder: string, url: string) => string[];
  readonly env: Readonly<Record<string, string>>;
  readonly prepare?: (folder: string) => void;
}

/** Nothing of the browser's own may knock on the network, or open tabs besides. */
const FIREFOX_PREFERENCES = `
user_pref("app.update.enabled", false);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("dom.max_script_run_time", 0);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
`;

const firefox = (command: string): Engine => ({
  command,
  modes: ["coi", "plain"],
  args: (folder, url) => ["--headless", "--no-remote", "--profile", folder, url],
  env: { MOZ_CRASHREPORTER_DISABLE: "1" },
  prepare: (folder) => writeFileSync(join(folder, "user.js"), FIREFOX_PREFERENCES),
});

/** WebKitGTK's own small browser; it needs a screen, and has shared memory only when asked. */
const webkit = (command: string): Engine => ({
  command: "xvfb-run",
  modes: ["coi"], // it can suspend nothing
  lacks: {
    cases: /^(persistent volume|python in a granted folder):/,
    reason: "no private file system",
  },
  leavesSpinning: true,
  args: (_, url) => ["-a", command, url],
  env: {
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    WEBKIT_DISABLE_COMPOSITING_MODE: "1",
    LIBGL_ALWAYS_SOFTWARE: "1",
    JSC_useSharedArrayBuffer: "1",
    // Else each window starts two message buses, which outlive it.
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    NO_AT_BRIDGE: "1",
  },
});

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

/** The engines that this machine has, by name. */
export function otherEngines(): ReadonlyMap<string, Engine> {
  const found = new Map<string, Engine>();
  const fox = onPath("firefox-esr") ?? onPath("firefox");
  if (fox) found.set("firefox", firefox(fox));
  const small = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
  if (existsSync(small) && onPath("xvfb-run")) found.set("webkit", webkit(small));
  return found;
}

/** A browser that shows one page. */
export class EngineWindow {
  readonly #folder = mkdtempSync(join(tmpdir(), "sallyport-engine-"));
  readonly #child: ChildProcess;

  constructor({ command, args, env, prepare }: Engine, url: string) {
    prepare?.(this.#folder);
    this.#child = spawn(command, args(this.#folder, url), {
      detached: true, // with a group of its own, which ends as one
      env: { ...process.env, HOME: this.#folder, ...env },
      stdio: "ignore",
    });
  }

  /** Ends the browser and removes its profile. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      // Asked first, a screen takes its lock away with it.
      process.kill(-this.#child.pid!, "SIGTERM");
      const late = setTimeout(() => process.kill(-this.#child.pid!, "SIGKILL"), 2_000);
      await ended;
      clearTimeout(late);
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
