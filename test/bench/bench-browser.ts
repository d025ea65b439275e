// The one Chromium of a bench run, its pages, and what its processes used; Node.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright";
import { launchChromium } from "../launch-chromium.ts";
import type { HeaderMode, StaticServer } from "../static-server.ts";
import { serveBench, type PeerFiles } from "./bench-site.ts";
import type { TitleAnswer } from "./page/answer-title.ts";
import type { PageBenches } from "./page/page.ts";

/** Chromium starts pages of its own, which would compete with the first samples. */
const SETTLE_MS = 2_000;

/** Long enough to tell a page's process by its work. */
const BUSY_MS = 60;

/** How often a page is looked at that cannot say that it is done: seldom, since looking takes time, too. */
const LOOK_MS = 250;

/** A bench that hangs has to be seen as one. */
const PAGE_MS = 120_000;

/** A Chromium and the server that its pages come from. */
export class BenchBrowser {
  readonly server: StaticServer;
  private readonly browser: Browser;

  private constructor(browser: Browser, server: StaticServer) {
    this.browser = browser;
    this.server = server;
  }

  static async start(root: string, peers?: PeerFiles): Promise<BenchBrowser> {
    const server = await serveBench(root, peers);
    const browser = await launchChromium();
    await sleep(SETTLE_MS);
    return new BenchBrowser(browser, server);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.close();
  }

  /** Runs one of the page's benches in a page of its own. */
  async measure<Name extends keyof PageBenches>(
    mode: HeaderMode,
    name: Name,
    ...rest: Parameters<PageBenches[Name]>
  ): Promise<Awaited<ReturnType<PageBenches[Name]>>> {
    return this.inPage("/bench/", mode, (page) =>
      page.evaluate(
        ([bench, args]) =>
          (globalThis as unknown as { bench: Record<string, (...all: unknown[]) => unknown> })
            .bench[bench]!(...args),
        [name as string, rest as unknown[]] as const,
      ),
    ) as Promise<Awaited<ReturnType<PageBenches[Name]>>>;
  }

  /** Opens a page with a profile of its own, whose caches are empty, and closes it after. */
  async inPage<T>(
    path: string,
    mode: HeaderMode,
    use: (page: Page, pid: number | undefined) => Promise<T>,
  ): Promise<T> {
    const context = await this.browser.newContext();
    try {
      const page = await context.newPage();
      let deadline: ReturnType<typeof setTimeout> | undefined;
      const failed = new Promise<never>((_, reject) => {
        page.on("pageerror", reject);
        page.on("crash", () => reject(new Error("the page crashed")));
        const late = (): void => reject(new Error(`${path} took more than ${PAGE_MS} ms`));
        deadline = setTimeout(late, PAGE_MS);
      });
      failed.catch(() => {});
      await page.goto(this.server.url(path, mode), { waitUntil: "networkidle" });
      const pid = await this.rendererOf(page);
      return await Promise.race([use(page, pid), failed]).finally(() => clearTimeout(deadline));
    } finally {
      await context.close();
    }
  }

  /**
   * What `#name` gives on a page with empty caches that no tool is attached to. The developer tools' record of requests, which
   * Playwright switches on in each page of its own, keeps a copy of every body of less than 10 MB, and each request costs
   * more: starts that fetch much, or many files, would be judged by that.
   */
  async unwatched<T>(path: string, mode: HeaderMode, name: string): Promise<T> {
    const session = await this.browser.newBrowserCDPSession();
    const { browserContextId } = await session.send("Target.createBrowserContext");
    try {
      const url = `${this.server.url(path, mode)}#${name}`;
      const { targetId } = await session.send("Target.createTarget", { url, browserContextId });
      for (const end = performance.now() + PAGE_MS; performance.now() < end;) {
        // oxlint-disable-next-line no-await-in-loop -- nobody tells when it is there
        await sleep(LOOK_MS);
        // oxlint-disable-next-line no-await-in-loop
        const { targetInfo } = await session.send("Target.getTargetInfo", { targetId });
        if (!targetInfo.title.startsWith("{")) continue;
        const answer = JSON.parse(targetInfo.title) as TitleAnswer;
        if ("error" in answer) throw new Error(`${url}: ${answer.error}`);
        return answer.value as T;
      }
      throw new Error(`${url} took more than ${PAGE_MS} ms`);
    } finally {
      await session.send("Target.disposeBrowserContext", { browserContextId });
      await session.detach();
    }
  }

  /**
   * The process of a page: the one that works while the page does. A page with isolation headers leaves the process that it
   * was opened in, and a spare one waits for the next, so neither age nor size tells.
   */
  private async rendererOf(page: Page): Promise<number | undefined> {
    const before = await this.renderers();
    await page.evaluate((ms) => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    }, BUSY_MS);
    const after = await this.renderers();
    const worked = (pid: number): number => after.get(pid)! - (before.get(pid) ?? 0);
    return [...after.keys()].sort((a, b) => worked(b) - worked(a))[0];
  }

  /** Seconds that each renderer has computed, by process id. */
  private async renderers(): Promise<Map<number, number>> {
    const session = await this.browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    const renderers = processInfo.filter(({ type }) => type === "renderer");
    return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime]));
  }
}

/** The most memory that a process has had at once, in MiB; undefined where the system does not say (only Linux does). */
export function peakMemory(pid: number): number | undefined {
  return memoryOf(pid, "VmHWM");
}

/** The memory that a process has now, in MiB; undefined where the system does not say. */
export function residentMemory(pid: number): number | undefined {
  return memoryOf(pid, "VmRSS");
}

function memoryOf(pid: number, line: "VmHWM" | "VmRSS"): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = new RegExp(`^${line}:\\s*(\\d+) kB$`, "m").exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
