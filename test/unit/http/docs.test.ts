// docs/http.md explains every kind of failure; Node.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HTTP_ERROR_KINDS } from "../../../src/http/http-failure.ts";

const page = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8");

test("every kind of failure is explained", () => {
  for (const kind of HTTP_ERROR_KINDS) expect(page).toContain(`| \`${kind}\` |`);
});
