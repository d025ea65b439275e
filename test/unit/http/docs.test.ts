// The examples of docs/http.md that are marked to run, run; its table of kinds is whole; Node.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { HTTP_ERROR_KINDS } from "../../../src/http/http-failure.ts";

const page = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```js run\n([\s\S]*?)```/g)].map(([, code]) => code!);

test("the example of the door prints what its comments say", async () => {
  expect(examples).toHaveLength(1);
  const door = new URL("../../../src/http/http-door.ts", import.meta.url).pathname;
  const folder = fileURLToPath(new URL("../../../.cache/docs/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const file = `${folder}http-${process.pid}.mjs`;
  writeFileSync(file, examples[0]!.replace('from "sallyport"', `from "${door}"`));
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  await import(/* @vite-ignore */ file);
  expect(log.mock.calls).toEqual([
    [200, '{"status":"shipped"}'],
    ["host_not_allowed"],
    [["GET https://api.example.com/orders/1042 ok", "GET https://evil.example/ host_not_allowed"]],
  ]);
  log.mockRestore();
});

test("every kind of failure is explained", () => {
  for (const kind of HTTP_ERROR_KINDS) expect(page).toContain(`| \`${kind}\` |`);
});

test("every link inside the page leads somewhere", () => {
  const anchors = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 ]/g, "")
      .replaceAll(" ", "-"),
  );
  const links = [...page.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, anchor]) => anchor!);
  expect(links.length).toBeGreaterThan(4);
  for (const link of links) expect(anchors).toContain(link);
});
