// Stock CPython fetches: the Python half over /dev/http, against a real HTTPS server; Node, driving Chromium.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpPage, type HttpPages, type RunSpec, startHttpPages } from "./http-pages.ts";

let pages: HttpPages;
beforeAll(async () => {
  pages = await startHttpPages();
});
afterAll(() => pages?.close());

describe.each(["coi", "plain"] as const)("on a page that is %s", (mode) => {
  let opened: HttpPage;
  beforeAll(async () => {
    opened = await pages.open(mode);
  });
  afterAll(() => opened?.page.close());

  const python = async (code: string, spec: RunSpec = {}) => {
    const [outcome] = await opened.run("python", [""], {
      network: { allow: ["api.example.com"] },
      args: ["-c", code],
      ...spec,
    });
    return outcome!;
  };

  test("a GET, where tools are an ImportError", { timeout: 60_000 }, async () => {
    const { stdout, stderr, requests } = await python(`
from host import http
answer = http.request("GET", "https://api.example.com/text")
print(answer.status, len(answer.text) > 0)
try:
    from host import tools
except ImportError:
    print("no tools")`);
    expect(stdout, stderr).toBe("200 True\nno tools\n");
    expect(requests.map(({ status, kind }) => [status, kind])).toEqual([[200, undefined]]);
  });

  test("an unlisted host is refused with its kind", { timeout: 60_000 }, async () => {
    const { stdout, stderr } = await python(`
from host import http
try:
    http.get("https://other.example.com/text")
except http.HttpError as error:
    print(error.kind)`);
    expect(stdout, stderr).toBe("host_not_allowed\n");
  });

  test("a body is saved to a file of the guest", { timeout: 60_000 }, async () => {
    const { stdout, stderr, files } = await python(
      `
from host import http
answer = http.get("https://api.example.com/text", save_to="/out.bin")
print(answer.status, len(open("/out.bin", "rb").read()) > 0)`,
      { files: {} },
    );
    expect(stdout, stderr).toBe("200 True\n");
    expect(Object.keys(files)).toContain("/out.bin");
  });

  test("a line of 8 MiB goes through, one byte more does not", { timeout: 60_000 }, async () => {
    const { stdout, stderr, requests } = await python(`
import json
from host import http
url = "https://api.example.com/upload"
around = json.dumps({"method": "PUT", "url": url, "body": {"type": "text", "text": ""}}, separators=(",", ":"))
room = 8 * 2**20 - len(around)
print(room - http.request("PUT", url, text="a" * room).json()["bytes"])
try:
    http.request("PUT", url, text="a" * (room + 1))
except http.HttpError as error:
    print(error.kind)
print(http.get("https://api.example.com/text").status)`);
    expect(stdout, stderr).toBe("0\ninvalid_request\n200\n");
    expect(requests.map(({ status }) => status)).toEqual([200, 200]);
  });
});
