// The reader on the binary modules of WebAssembly's own test suite, from the folder that WASM_TESTSUITE names; Node.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inspectModule } from "../../../src/package/inspect-module.ts";
import { binaryModules } from "./wast.ts";

const folder = process.env.WASM_TESTSUITE;
const BROKEN: ReadonlySet<string> = new Set(["not_wasm", "component", "truncated", "malformed"]);

test("scripts are taken apart", () => {
  const script = `;; (module binary "x")
    (module $m binary "\\00asm" "\\01\\00\\00\\00") (module (func (export "()"))) (; (module binary) ;)
    (assert_malformed (module binary "\\00as\\22") "unexpected end")`;
  expect(binaryModules(script)).toEqual([
    { bytes: Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0) },
    { bytes: Uint8Array.of(0, 0x61, 0x73, 0x22), malformed: "unexpected end" },
  ]);
});

describe.skipIf(folder === undefined)(
  `scripts in ${folder ?? "WASM_TESTSUITE, which is not set"}`,
  () => {
    const files =
      folder === undefined
        ? ["none.wast"]
        : readdirSync(folder, { recursive: true, encoding: "utf8" });
    test.each(files.filter((name) => name.endsWith(".wast")))("%s", async (name) => {
      for (const { bytes, malformed } of binaryModules(
        readFileSync(join(folder ?? "", name), "utf8"),
      )) {
        const { problems } = await inspectModule(bytes);
        const isBroken = problems.some(({ code }) => BROKEN.has(code));
        expect([Buffer.from(bytes).toString("hex"), malformed, isBroken]).toEqual([
          Buffer.from(bytes).toString("hex"),
          malformed,
          malformed !== undefined,
        ]);
      }
    });
  },
);
