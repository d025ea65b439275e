// File bodies and file output: decided before anything is sent, in parts, nothing partial left behind; Node.

import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import {
  createHttpDoor,
  type HttpDoor,
  type HttpDoorOptions,
} from "../../../src/http/http-door.ts";
import type { HttpFiles } from "../../../src/http/http-files.ts";
import { ask, kindOf } from "./ask.ts";
import { memoryFiles } from "./memory-files.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
const MiB = 2 ** 20;
const origin = "https://api.example.com";
const network = { allow: ["api.example.com"] };

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

function doorWith(files?: HttpFiles, more: Partial<HttpDoorOptions> = {}): HttpDoor {
  return createHttpDoor({ network, fetch: server.fetch, ...(files && { files }), ...more });
}

const output = { type: "file", path: "/volume/tmp/out.bin" };

describe("output", () => {
  test("a body of any bytes is saved in parts of at most 1 MiB, and appears whole", async () => {
    const files = memoryFiles();
    const size = 3 * MiB + 17;
    const answer = await ask(doorWith(files), { url: `${origin}/size/${size}`, output });
    expect(answer.ok?.body).toEqual({ ...output, bytes: size });
    expect(files.files.get(output.path)).toHaveLength(size);
    const parts = files.log.filter((line) => line.startsWith("part"));
    expect(parts).toEqual(["part 1048576", "part 1048576", "part 1048576", "part 17"]);
    expect(files.log.at(-1)).toBe("commit");
  });

  test("small chunks are gathered", async () => {
    const files = memoryFiles();
    await ask(doorWith(files), { url: `${origin}/chunked/300000`, output });
    expect(files.log).toEqual(["write /volume/tmp/out.bin", "part 300000", "commit"]);
  });

  test.each(["binary", "latin1", "empty", "gzip", "teapot"])("%s is saved", async (path) => {
    const files = memoryFiles();
    const answer = await ask(doorWith(files), { url: `${origin}/${path}`, output });
    expect(files.files.get(output.path)?.byteLength).toBe(answer.ok!.body.bytes);
  });

  test("HEAD saves an empty file", async () => {
    const files = memoryFiles();
    await ask(doorWith(files), { method: "HEAD", url: `${origin}/size/9`, output });
    expect(files.files.get(output.path)).toHaveLength(0);
  });

  test.each([
    ["reset", "connection"],
    ["halfbody", "connection"],
    ["drip", "timeout"],
    ["boaster", "timeout"],
    ["liar", "connection"],
    ["redirect/302?to=/text", "too_many_redirects"],
  ])("%s: %s, and the partial file is removed while an older one stays", async (path, kind) => {
    const old = Uint8Array.of(1, 2, 3);
    const files = memoryFiles({ [output.path]: old });
    const request = { url: `${origin}/${path}`, output, timeout_ms: 300 };
    expect(kindOf(await ask(doorWith(files), request))).toBe(kind);
    expect(files.log.at(-1)).toBe("discard");
    expect(files.files.get(output.path)).toBe(old);
  });

  test("past the budget it is write_budget, and the exchange ends", async () => {
    const files = memoryFiles({}, 2.5 * MiB);
    const answer = await ask(doorWith(files), { url: `${origin}/endless`, output });
    expect(kindOf(answer)).toBe("write_budget");
    expect(files.log.at(-1)).toBe("discard");
    expect(files.files.size).toBe(0);
    await expect.poll(() => server.cut).toContain("/endless");
  });
});

describe("before anything is sent", () => {
  const put = { method: "PUT", url: `${origin}/upload` };
  const body = { type: "file", path: "/in.bin" };

  test.each([
    ["no handler", undefined, { output }, "bad_path"],
    ["no handler", undefined, { body }, "bad_path"],
    ["no such file", memoryFiles(), { body }, "bad_path"],
    [
      "no writable place",
      memoryFiles(),
      { output: { ...output, path: "/read-only/x" } },
      "bad_path",
    ],
    ["no budget", memoryFiles({}, 0), { output }, "write_budget"],
    ...["", "relative", "./x", "/folder/", "/nul\0", `/${"x".repeat(4_096)}`].map(
      (path) =>
        [JSON.stringify(path), memoryFiles(), { output: { ...output, path } }, "bad_path"] as const,
    ),
  ] as const)("%s", async (_what, files, fields, kind) => {
    const answer = await ask(doorWith(files), { ...put, ...fields });
    expect(kindOf(answer)).toBe(kind);
    expect(answer.error!.message).not.toContain("secret host path");
    expect(server.seen).toEqual([]);
  });

  test("a missing body takes the place for the answer back", async () => {
    const files = memoryFiles();
    expect(kindOf(await ask(doorWith(files), { ...put, body, output }))).toBe("bad_path");
    expect(files.log).toEqual(["write /volume/tmp/out.bin", "read /in.bin", "discard"]);
  });

  test("a refused request does not touch files", async () => {
    const files = memoryFiles();
    const door = doorWith(files);
    await ask(door, { ...put, url: "https://evil.test/", body, output });
    await ask(door, { ...put, headers: { Accept: "x" }, body, output });
    expect(files.log).toEqual([]);
  });
});

describe("bodies", () => {
  test.each([0, 1, MiB, 2 * MiB + 5])("a file of %i bytes arrives", async (size) => {
    const bytes = new Uint8Array(size).map((_, at) => at * 7 + (at >> 10));
    const files = memoryFiles({ "/in.bin": bytes });
    const body = { type: "file", path: "/in.bin" };
    const answer = await ask(doorWith(files), { method: "POST", url: `${origin}/upload`, body });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(JSON.parse(answer.ok!.body.text!)).toEqual({ bytes: size, sha256 });
    expect(files.log).toEqual(["read /in.bin", "close"]);
    expect(server.seen[0]?.headers).not.toHaveProperty("content-type");
  });

  test("a file may be sent and replaced in one request", async () => {
    const files = memoryFiles({ "/data": new TextEncoder().encode("old") });
    const path = "/data";
    const fields = { body: { type: "file", path }, output: { type: "file", path } };
    await ask(doorWith(files), { method: "POST", url: `${origin}/upload`, ...fields });
    expect(Buffer.from(files.files.get(path)!).toString()).toContain('"bytes":3');
  });

  test("a file over 256 MiB is too large, by its size alone", async () => {
    let parts = 0;
    const files: HttpFiles = {
      ...memoryFiles(),
      read: async () => ({
        size: 256 * MiB + 1,
        part: async () => {
          parts += 1;
          return new Uint8Array(0);
        },
      }),
    };
    const body = { type: "file", path: "/huge" };
    const answer = await ask(doorWith(files), { method: "PUT", url: `${origin}/upload`, body });
    expect(kindOf(answer)).toBe("too_large");
    expect(parts).toBe(0);
  });
});

describe("a handler that fails", () => {
  const failing = (error: unknown): HttpFiles => ({
    read: async () => {
      throw error;
    },
    write: () => {
      throw error;
    },
  });
  test.each([
    [new Error("/home/page/secret"), "abi"],
    [new SandboxError("conflict", "secret"), "abi"],
    [undefined, "abi"],
    [new SandboxError("quota", "secret"), "write_budget"],
    [new SandboxError("bad_path", "secret"), "bad_path"],
  ])("%s: %s", async (error, kind) => {
    for (const fields of [{ output }, { body: { type: "file", path: "/in" } }]) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await ask(doorWith(failing(error)), { method: "PUT", url: origin, ...fields });
      expect(kindOf(answer)).toBe(kind);
      expect(answer.error!.message).not.toContain("secret");
    }
  });

  test("a commit that fails is no file", async () => {
    const files = memoryFiles();
    const door = doorWith({
      ...files,
      write: async (path) => ({
        ...(await files.write(path)),
        commit: () => Promise.reject(new SandboxError("quota", "no entry left")),
      }),
    });
    expect(kindOf(await ask(door, { url: `${origin}/text`, output }))).toBe("write_budget");
    expect(files.log.at(-1)).toBe("discard");
  });

  test("one that never answers ends with the timeout; what it opens later is closed", async () => {
    const files = memoryFiles();
    let open = (): void => {};
    const door = doorWith({
      ...files,
      write: async (path) => {
        await new Promise<void>((resolve) => {
          open = resolve;
        });
        return files.write(path);
      },
    });
    const request = { url: `${origin}/text`, output, timeout_ms: 50 };
    expect(kindOf(await ask(door, request))).toBe("timeout");
    open();
    await expect.poll(() => files.log).toEqual([`write ${output.path}`, "discard"]);
  });

  test("a stopped run does not wait for it", async () => {
    const stop = new AbortController();
    const files = memoryFiles();
    let opened = false;
    const never = (): Promise<never> => new Promise(() => {});
    const door = doorWith(
      {
        ...files,
        write: async () => {
          opened = true;
          return { part: never, commit: never, discard: never };
        },
      },
      { signal: stop.signal },
    );
    const answer = ask(door, { url: `${origin}/hang`, output });
    await expect.poll(() => opened && server.seen.length).toBe(1);
    stop.abort();
    expect(kindOf(await answer)).toBe("connection");
  });
});
