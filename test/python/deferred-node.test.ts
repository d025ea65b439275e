// The part of our Python's code that few programs call: loaded when one does, and what is said where it cannot be; Node.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { PYTHON } from "./builds.ts";
import { sandboxOptions } from "./python-case.ts";

const api = (await import(new URL("../../dist/node.js", import.meta.url).href)) as typeof Sallyport;
const there = existsSync(PYTHON.shipped);
const options = sandboxOptions("shipped", pathToFileURL(PYTHON.shipped));
const code = there ? new Uint8Array(readFileSync(options.deferredCode as URL)) : new Uint8Array();
const typical = fileURLToPath(new URL("../../guests/python/build/typical/", import.meta.url));

/** SQLite is as large as a fifth of all code, and no typical program's. */
const RARE =
  "import sqlite3; print(sqlite3.connect(':memory:').execute('select 6 * 7').fetchall())";
const PRINTS = "[(42,)]\n";
const HI = { args: ["-c", "print('hi')"] };

describe.skipIf(!there)("the deferred code of our Python", () => {
  test.each(readdirSync(typical))("is not needed by the typical %s", async (name) => {
    const region = api.tool({
      name: "lookup_region",
      description: "Region of a code",
      inputSchema: { type: "object", properties: { code: { type: "string" } } },
      execute: (args) => {
        if (args["code"] === "ATLANTIS") throw new api.ToolError("no such region");
        return { region: "Europe", sales: [1.5, 2] };
      },
    });
    const sandbox = await api.createSandbox({ ...options, deferredCode: new Uint8Array() });
    // The second run is the first that may have an instance that was put back.
    for (let at = 0; at < 3; at += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, exitCode, stderrText } = await sandbox.run({
        args: ["-c", readFileSync(typical + name, "utf8")],
        files: { "/data.csv": "region,code\nEMEA,é\n", "/tmp": {} },
        stdin: "Ada\nthe rest\n",
        tools: [region],
      }).result;
      const failed = name.startsWith("uncaught") ? 1 : 0;
      expect([status, exitCode], stderrText).toEqual(["exited", failed]);
    }
    sandbox.close();
  });

  test.each(["shared-memory", "none"] as const)("is loaded on %s", async (transport) => {
    for (const deferredCode of [options.deferredCode!, code, new Response(code)]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const sandbox = await api.createSandbox({ ...options, deferredCode, transport });
      for (const program of [RARE, RARE, "print('hi')", RARE]) {
        // oxlint-disable-next-line no-await-in-loop
        const { stdoutText, stderrText } = await sandbox.run({ args: ["-c", program] }).result;
        expect(stdoutText, stderrText).toBe(program === RARE ? PRINTS : "hi\n");
      }
      sandbox.close();
    }
  });

  test("is said to be missing, of another build or no code at all, by the run that needs it", async () => {
    const other = code.slice();
    const name = Buffer.from(other).indexOf("table ");
    other[name + 8]! ^= 1;
    const cases = [
      [undefined, "is needed now, and could not be loaded"],
      ["/no/such/file", "is needed now, and could not be loaded"],
      [other, "is none, or belongs to another build"],
      [code.slice(0, -1), "is none, or belongs to another build"],
      [new Uint8Array(), "is none, or belongs to another build"],
    ] as const;
    for (const [deferredCode, words] of cases) {
      const { deferredCode: _, ...rest } = options;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const sandbox = await api.createSandbox({ ...rest, ...(deferredCode && { deferredCode }) });
      for (let at = 0; at < 2; at += 1) {
        // oxlint-disable-next-line no-await-in-loop
        const { status, stderrText } = await sandbox.run({ args: ["-c", RARE] }).result;
        const said = `python: a part of the interpreter (python-deferred.wasm) ${words}\n`;
        expect([status, stderrText]).toEqual(["trapped", said]);
        // oxlint-disable-next-line no-await-in-loop
        expect((await sandbox.run(HI).result).stdoutText).toBe("hi\n");
      }
      sandbox.close();
    }
  });

  test("has to be there before the sandbox is, where nobody can be asked for it", async () => {
    const none = { ...options, transport: "none" } as const;
    for (const deferredCode of ["/no/such/file", new Uint8Array(2 ** 24 + 1), code.slice(0, -1)]) {
      const failed = api.createSandbox({ ...none, deferredCode });
      // oxlint-disable-next-line no-await-in-loop
      await expect(failed).rejects.toMatchObject({ code: "load_failed" });
    }
    const wrong = { ...options, deferredCode: 5 } as unknown as Sallyport.SandboxOptions;
    await expect(api.createSandbox(wrong)).rejects.toMatchObject({ code: "bad_option" });
  });
});
