// Drives the playground as a person would, for its tests; Node.

import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright";
import { createServer, type ViteDevServer } from "vite";
import { expect } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Vite's server as `npm start` has it, but for reloading: nothing may reload a page while it is tested. */
export async function servePlayground(): Promise<ViteDevServer> {
  const server = await createServer({
    configFile: `${root}vite.config.ts`,
    root,
    cacheDir: `${root}.cache/vite-test`,
    server: { host: "localhost", port: 0, hmr: false, watch: { ignored: () => true } },
    logLevel: "warn",
  });
  return server.listen();
}

/** A playground in a tab of its own, with everything that went wrong in it. */
export class Playground {
  readonly page: Page;
  /** Uncaught errors, rejections, console errors and breaches of the policy. */
  readonly problems: string[];

  private constructor(page: Page, problems: string[]) {
    this.page = page;
    this.problems = problems;
  }

  /** Opens a playground; `ready: false` does not wait for the editor and the interpreter. */
  static async open(
    browser: Browser,
    url: string,
    { ready = true, ...options }: BrowserContextOptions & { ready?: boolean } = {},
  ): Promise<Playground> {
    const page = await browser.newPage(options);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(`console: ${message.text()}`);
    });
    await page.exposeFunction("reportProblem", (problem: string) => problems.push(problem));
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const tab = globalThis as unknown as { reportProblem(text: string): void };
        tab.reportProblem(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    await page.goto(url);
    const playground = new Playground(page, problems);
    if (ready) {
      await playground.editor.waitFor();
      await playground.waitForStatus(/^Ready$/, 30_000);
    }
    return playground;
  }

  get editor(): Locator {
    return this.page.locator(".cm-content");
  }

  get output(): Locator {
    return this.page.locator("#output");
  }

  get gate(): Locator {
    return this.page.locator("#gate[open]");
  }

  get calls(): Locator {
    return this.page.locator("#calls > li");
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Puts a program in place of the one in the editor, as if it had been pasted. */
  async write(program: string): Promise<void> {
    await this.editor.click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(program);
  }

  async start(program?: string): Promise<void> {
    if (program !== undefined) await this.write(program);
    await this.button("Run").click();
  }

  /** Runs a program to its end and gives what the page then shows. */
  async run(program?: string): Promise<{ output: string; status: string }> {
    await this.start(program);
    const status = await this.ended();
    return { output: await this.text(), status };
  }

  async example(id: string): Promise<void> {
    await this.page.locator("#examples").selectOption(id);
  }

  /** What the output says, with what it was typed. */
  async text(): Promise<string> {
    return (await this.output.textContent()) ?? "";
  }

  async waitForOutput(part: string, timeout = 15_000): Promise<void> {
    await this.output.filter({ hasText: part }).waitFor({ timeout });
  }

  async waitForStatus(pattern: RegExp, timeout = 15_000): Promise<string> {
    const status = this.page.locator("#status").filter({ hasText: pattern });
    await status.waitFor({ timeout });
    return (await status.textContent()) ?? "";
  }

  /** Waits until a run has ended, however. */
  ended(timeout = 20_000): Promise<string> {
    return this.waitForStatus(/^(Exited|Stopped|Crashed|Out of time|Failed)/, timeout);
  }

  async close(): Promise<void> {
    expect(this.problems).toEqual([]);
    await this.page.close();
  }
}
