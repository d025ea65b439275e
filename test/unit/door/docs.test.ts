// docs/tool-protocol.md explains every kind of failure; Node.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TOOL_ERROR_KINDS } from "../../../src/tools/tool-error.ts";

const page = readFileSync(new URL("../../../docs/tool-protocol.md", import.meta.url), "utf8");

test("every kind of failure is explained", () => {
  for (const kind of TOOL_ERROR_KINDS) expect(page).toContain(`| \`${kind}\` |`);
});
