// The search for a browser and its installation, with the machine replaced; Node.
import { describe, expect, test } from "vitest";
import { findChromium, oldestVersion } from "../../../scripts/find-chromium.mjs";
import { installChromium } from "../../../scripts/install-chromium.mjs";

/** A machine on which these programs exist and say this of themselves (null: they do not run). */
function machine(programs: Record<string, string | null>, env: Record<string, string> = {}) {
  return {
    env,
    platform: "linux" as const,
    isExecutable: (path: string) => Object.hasOwn(programs, path),
    version: async (path: string) => programs[path] ?? null,
    playwrightPath: async () => "/cache/playwright/chrome",
  };
}

describe("findChromium", () => {
  test("takes the browser that CHROME_PATH names before one on PATH", async () => {
    const programs = { "/my/chrome": "Chrome 150.0.1", "/bin/chromium": "Chromium 156.0.1" };
    const found = await findChromium(
      machine(programs, { CHROME_PATH: "/my/chrome", PATH: "/bin" }),
    );
    expect(found).toMatchObject({ path: "/my/chrome", how: "named by CHROME_PATH" });
  });

  test("looks along PATH in order, then at the usual places, then where Playwright keeps its own", async () => {
    const everywhere = {
      "/b/google-chrome": "Google Chrome 150.0.1",
      "/opt/google/chrome/chrome": "Google Chrome 151.0.1",
      "/cache/playwright/chrome": "Chromium 152.0.1",
    };
    const env = { PATH: "/a:/b" };
    expect((await findChromium(machine(everywhere, env))).path).toBe("/b/google-chrome");
    expect((await findChromium(machine(everywhere))).path).toBe("/opt/google/chrome/chrome");
    const own = { "/cache/playwright/chrome": "Chromium 152.0.1" };
    expect(await findChromium(machine(own))).toMatchObject({ how: "Playwright's" });
  });

  test("passes over what does not run, is too old or is not there, and says so", async () => {
    const programs = {
      "/bin/chromium": `Chromium ${oldestVersion - 1}.0.1`,
      "/bin/chromium-browser": null,
    };
    const found = await findChromium(machine(programs, { CHROME_PATH: "/gone", PATH: "/bin" }));
    expect(found).toEqual({
      path: null,
      rejected: [
        "/gone (named by CHROME_PATH) is not a program",
        `/bin/chromium is Chromium ${oldestVersion - 1}.0.1; ${oldestVersion} or newer is needed`,
        "/bin/chromium-browser does not run",
      ],
    });
  });
});

describe("installChromium", () => {
  const nothing = async () => ({ path: null, rejected: [] }) as const;
  const installed = { path: "/bin/chromium", version: "Chromium 156.0.1", how: "on PATH" } as const;

  /** Installers that note down that they ran, and succeed or not. */
  function installersThat(outcomes: Record<string, string | null>, ran: string[]) {
    return Object.entries(outcomes).map(([name, problem]) => ({
      name,
      command: `get ${name}`,
      run: async () => {
        ran.push(name);
        return problem;
      },
    }));
  }

  test("installs nothing when a browser is there, and says which it took", async () => {
    const lines: string[] = [];
    const ran: string[] = [];
    const path = await installChromium({
      log: (line) => lines.push(line),
      find: async () => installed,
      install: installersThat({ first: null }, ran),
    });
    expect(path).toBe("/bin/chromium");
    expect(ran).toEqual([]);
    expect(lines).toEqual(["Browser: /bin/chromium, Chromium 156.0.1 (installed, on PATH)."]);
  });

  test("goes on to the next installer when one fails", async () => {
    const lines: string[] = [];
    const ran: string[] = [];
    const path = await installChromium({
      log: (line) => lines.push(line),
      find: async () => (ran.length < 2 ? nothing() : installed),
      install: installersThat({ first: "it failed", second: null }, ran),
    });
    expect(path).toBe("/bin/chromium");
    expect(ran).toEqual(["first", "second"]);
    expect(lines).toContain("first gave none: it failed.");
    expect(lines.at(-1)).toContain("from second: get second");
  });

  test("ends with the one command to type when nothing helps", async () => {
    const lines: string[] = [];
    const path = await installChromium({
      log: (line) => lines.push(line),
      find: nothing,
      install: installersThat({ first: "no", second: null }, []),
    });
    expect(path).toBeNull();
    expect(lines.at(-1)).toMatch(/^The browser tests need .* Type: .*chromium$/);
  });
});
