// What a package says of itself, and each limit at its edge; Node.

import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { discover } from "../../../src/package/discover.ts";
import { PackageCrash } from "../../../src/package/package-crash.ts";
import { RequestMaker, REVISION } from "../../../src/package/requests.ts";
import { readTools } from "../../../src/package/tool-listing.ts";
import { fakeGuest, type FakeRequest } from "./fake-guest.ts";

const ABOUT = { supportedVersions: [REVISION], capabilities: { tools: {} } };
const tool = (name: string, more: object = {}): object => ({
  name,
  description: "",
  inputSchema: { type: "object" },
  ...more,
});

interface Answers {
  readonly about?: object;
  readonly page?: (request: FakeRequest, number: number) => object;
}

/** A package that answers as told. */
function server({ about = ABOUT, page = () => ({ tools: [tool("greet")] }) }: Answers) {
  let pages = 0;
  return fakeGuest(async (guest) => {
    for (let next = await guest.read(); next; next = await guest.read()) {
      guest.answer(next, next.method === "server/discover" ? about : page(next, ++pages));
    }
  });
}

function learn(answers: Answers, canWait = true) {
  const requests = new RequestMaker({ name: "test", version: "1" });
  return discover({ runGuest: server(answers), requests, canWait });
}

async function refusal(promise: Promise<unknown> | (() => unknown)): Promise<SandboxError> {
  try {
    await (typeof promise === "function" ? promise() : promise);
  } catch (error) {
    if (error instanceof SandboxError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("discovery", () => {
  test("asks server/discover, then tools/list, in one instance", async () => {
    const asked: string[] = [];
    const runGuest = fakeGuest(async (guest) => {
      for (let next = await guest.read(); next; next = await guest.read()) {
        asked.push(next.method);
        guest.answer(next, next.method === "server/discover" ? ABOUT : { tools: [tool("a")] });
      }
    });
    const requests = new RequestMaker({ name: "test", version: "1" });
    const tools = await discover({ runGuest, requests, canWait: true });
    expect(tools).toEqual([tool("a")]);
    expect(asked).toEqual(["server/discover", "tools/list"]);
    expect(runGuest.starts).toMatchObject([{ timeoutMs: 10_000, more: true }]);
  });

  test("on a page where guests cannot wait, one page of tools still loads", async () => {
    expect(await learn({}, false)).toHaveLength(1);
    const page = () => ({ tools: [tool("a")], nextCursor: "more" });
    expect((await refusal(learn({ page }, false))).code).toBe("unsupported");
  });

  test("walks 16 pages; an empty cursor is a cursor; a 17th page is refused", async () => {
    const walk = (last: number, cursor: string) =>
      learn({
        page: ({ params }, number) => {
          expect(params["cursor"]).toBe(number === 1 ? undefined : cursor);
          const tools = [tool(`t${number}`)];
          return number < last ? { tools, nextCursor: cursor } : { tools };
        },
      });
    expect(await walk(16, "")).toHaveLength(16);
    expect(await refusal(walk(17, "c"))).toMatchObject({
      code: "bad_package",
      data: { field: "nextCursor", limit: 16 },
    });
  });

  test.each([
    ["supportedVersions", { ...ABOUT, supportedVersions: ["2025-11-25"] }],
    ["supportedVersions", { ...ABOUT, supportedVersions: REVISION }],
    ["supportedVersions", { capabilities: { tools: {} } }],
    ["capabilities", { ...ABOUT, capabilities: {} }],
    ["capabilities", { supportedVersions: [REVISION] }],
  ])("refuses what server/discover lacks: %s", async (field, about) => {
    expect(await refusal(learn({ about }))).toMatchObject({ code: "bad_package", data: { field } });
  });

  test.each([
    ["tools", { tools: {} }],
    ["tools", {}],
    ["nextCursor", { tools: [tool("a")], nextCursor: 7 }],
  ])("refuses a list that is none: %s", async (field, answer) => {
    const error = await refusal(learn({ page: () => answer }));
    expect(error).toMatchObject({ code: "bad_package", data: { field } });
  });

  test("a crash is a crash", async () => {
    const runGuest = fakeGuest(async () => ({ status: "exited", exitCode: 1 }));
    const requests = new RequestMaker({ name: "test", version: "1" });
    await expect(discover({ runGuest, requests, canWait: true })).rejects.toBeInstanceOf(
      PackageCrash,
    );
  });
});

describe("limits", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => tool(`t${index}`));
  const text = (bytes: number, of: (fill: string) => object): object => {
    const empty = new TextEncoder().encode(JSON.stringify(of(""))).length;
    return of("x".repeat(bytes - empty));
  };
  const schema = (bytes: number) => text(bytes, (title) => ({ type: "object", title }));

  test.each<[string, unknown[], unknown[], object]>([
    ["no tools", many(1), [], { field: "tools", limit: 1 }],
    ["64 tools", many(64), many(65), { field: "tools", limit: 64 }],
    [
      "unique names",
      [tool("a"), tool("b")],
      [tool("a"), tool("a")],
      { tool: "a", field: "name", limit: "unique" },
    ],
    [
      "name of 64",
      [tool("a".repeat(64))],
      [tool("a".repeat(65))],
      { tool: 1, field: "name", limit: 64 },
    ],
    ["name of 1", [tool("-")], [tool("")], { tool: 1, field: "name", limit: 64 }],
    [
      "description of 1,024",
      [tool("a", { description: "😀".repeat(1_024) })],
      [tool("a", { description: "😀".repeat(1_025) })],
      { tool: "a", field: "description", limit: 1_024 },
    ],
    [
      "inputSchema of 64 KiB",
      [tool("a", { inputSchema: schema(65_536) })],
      [tool("a", { inputSchema: schema(65_537) })],
      { tool: "a", field: "inputSchema", limit: 65_536 },
    ],
    [
      "outputSchema of 64 KiB",
      [tool("a", { outputSchema: schema(65_536) })],
      [tool("a", { outputSchema: schema(65_537) })],
      { tool: "a", field: "outputSchema", limit: 65_536 },
    ],
  ])("%s", async (_, fits, breaks, data) => {
    expect(readTools(fits)).toHaveLength(fits.length);
    expect(await refusal(() => readTools(breaks))).toMatchObject({ code: "bad_package", data });
  });

  test("256 KiB together", async () => {
    const listed = (bytes: number) => {
      const tools = ["a", "b", "c", "d", "e"].map((name) =>
        tool(name, { inputSchema: schema(50_000) }),
      );
      const left = bytes - new TextEncoder().encode(JSON.stringify(tools)).length;
      (tools[0] as { description: string }).description = "";
      (tools[4] as { inputSchema: object }).inputSchema = schema(50_000 + left);
      return tools;
    };
    expect(readTools(listed(262_144))).toHaveLength(5);
    expect(await refusal(() => readTools(listed(262_145)))).toMatchObject({
      data: { field: "tools", limit: 262_144 },
    });
  });

  test.each([["A"], ["a b"], ["ä"], ["a.b"], [7], [undefined], [null]])("name %j", async (name) => {
    const error = await refusal(() => readTools([{ ...tool("a"), name }]));
    expect(error).toMatchObject({ data: { tool: 1, field: "name" } });
  });

  test.each<[string, object]>([
    ["inputSchema", { inputSchema: { type: "string" } }],
    ["inputSchema", { inputSchema: { type: ["object"] } }],
    ["inputSchema", { inputSchema: true }],
    ["inputSchema", { inputSchema: undefined }],
    ["outputSchema", { outputSchema: "no" }],
    ["description", { description: 7 }],
    ["title", { title: 7 }],
    ["annotations", { annotations: [] }],
    ["icons", { icons: {} }],
    ["_meta", { _meta: 1 }],
  ])("%s of another type", async (field, more) => {
    const error = await refusal(() => readTools([tool("a", more)]));
    expect(error).toMatchObject({ code: "bad_package", data: { tool: "a", field } });
  });

  test("null is how a key is left out, and unknown keys are left out, too", () => {
    const [made] = readTools([
      { ...tool("a"), description: undefined, title: null, execution: {} },
    ]);
    expect(made).toEqual({ name: "a", description: "", inputSchema: { type: "object" } });
  });

  test("the listing is frozen all the way down", () => {
    const [made] = readTools([
      tool("a", { inputSchema: { type: "object", properties: { b: {} } } }),
    ]);
    expect(Object.isFrozen((made!.inputSchema["properties"] as { b: object }).b)).toBe(true);
  });
});
