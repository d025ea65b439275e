// Every way in which a package can break a call, and what is no break; Node.

import { afterEach, describe, expect, test, vi } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { PackageCrash } from "../../../src/package/package-crash.ts";
import { RequestMaker, REVISION } from "../../../src/package/requests.ts";
import type { GuestEnd } from "../../../src/package/run-guest.ts";
import { converse } from "../../../src/package/session.ts";
import { fakeGuest, type FakeGuest } from "./fake-guest.ts";

const maker = new RequestMaker({ name: "test", version: "1" });
const RESULT = { content: [{ type: "text", text: "hi" }] };

async function call(script: (guest: FakeGuest) => Promise<GuestEnd | void>, timeoutMs = 1_000) {
  const requests = [maker.callTool("greet", { name: "Ada" })];
  const { results } = await converse({ runGuest: fakeGuest(script), requests, timeoutMs });
  return results;
}

async function crash(
  script: (guest: FakeGuest) => Promise<GuestEnd | void>,
): Promise<PackageCrash> {
  const error = await call(script).then(
    (results) => new Error(`it did not reject, but gave ${JSON.stringify(results)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PackageCrash)) throw error;
  return error;
}

const answers = async (guest: FakeGuest): Promise<void> => {
  guest.answer((await guest.read())!, RESULT);
};

afterEach(() => vi.useRealTimers());

describe("a call that is right", () => {
  test("one line in, one line out, exit 0", async () => {
    const script = fakeGuest(async (guest) => {
      const request = (await guest.read())!;
      expect(request).toEqual({
        jsonrpc: "2.0",
        id: expect.stringMatching(/^call-[0-9a-f]{16}$/),
        method: "tools/call",
        params: {
          name: "greet",
          arguments: { name: "Ada" },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      });
      guest.answer(request, RESULT);
      expect(await guest.read()).toBeUndefined();
    });
    const requests = [maker.callTool("greet", { name: "Ada" })];
    expect(await converse({ runGuest: script, requests, timeoutMs: 5 })).toEqual({
      results: [RESULT],
      stderr: "",
    });
    expect(script.starts).toMatchObject([{ more: false, timeoutMs: 5 }]);
  });

  test("meta of the caller goes along, and cannot replace the protocol's own", () => {
    const { line } = maker.callTool(
      "greet",
      {},
      {
        traceparent: "00-1",
        "io.modelcontextprotocol/protocolVersion": "1999",
        __proto__x: 1,
      },
    );
    const { _meta } = (JSON.parse(new TextDecoder().decode(line)) as { params: { _meta: object } })
      .params;
    expect(_meta).toMatchObject({
      traceparent: "00-1",
      "io.modelcontextprotocol/protocolVersion": REVISION,
    });
  });

  test("ids differ every time, and a request is one line", () => {
    const texts = [1, 2, 3].map(() => maker.callTool("a", { text: "two\nlines" }));
    expect(new Set(texts.map(({ id }) => id)).size).toBe(3);
    for (const { line } of texts)
      expect([line.indexOf(10), line.length - 1]).toEqual([line.length - 1, line.length - 1]);
  });

  test("resultType complete is the same as none", async () => {
    const [result] = await call(async (guest) =>
      guest.answer((await guest.read())!, { ...RESULT, resultType: "complete" }),
    );
    expect(result).toMatchObject(RESULT);
  });

  test("notifications are ignored, before and after the answer", async () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}\n';
    const results = await call(async (guest) => {
      guest.print(note);
      await answers(guest);
      guest.print(note);
    });
    expect(results).toEqual([RESULT]);
  });

  test("a line may come in any pieces, with CRLF and blanks", async () => {
    const results = await call(async (guest) => {
      const { id } = (await guest.read())!;
      const text = ` {"jsonrpc":"2.0", "id":"${id}","result":{"content":[{"type":"text","text":"ü"}]}}\r\n`;
      for (const byte of new TextEncoder().encode(text)) guest.printBytes(Uint8Array.of(byte));
    });
    expect(results).toEqual([{ content: [{ type: "text", text: "ü" }] }]);
  });

  test("keys such as __proto__ are plain keys", async () => {
    const [result] = await call(async (guest) => {
      const { id } = (await guest.read())!;
      guest.print(`{"jsonrpc":"2.0","id":"${id}","result":{"content":[],"__proto__":{"a":1}}}\n`);
    });
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result!)).toEqual(["content", "__proto__"]);
  });
});

describe("what breaks a call", () => {
  test("a JSON-RPC error, with its id or none", async () => {
    for (const own of [true, false]) {
      const error = await crash(async (guest) => {
        const { id } = (await guest.read())!;
        const body = {
          jsonrpc: "2.0",
          id: own ? id : null,
          error: { code: -32602, message: "no" },
        };
        guest.print(`${JSON.stringify(body)}\n`);
      });
      expect(error).toMatchObject({
        reason: "json_rpc_error",
        data: { code: -32602, message: "no" },
      });
    }
  });

  test.each([["input_required"], [""], [null], [7]])("resultType %j", async (resultType) => {
    const error = await crash(async (guest) =>
      guest.answer((await guest.read())!, { ...RESULT, resultType }),
    );
    expect(error).toMatchObject({ reason: "result_type", data: { resultType } });
  });

  test.each([
    ["Hello!"],
    [""],
    ["{"],
    ["[]"],
    ["null"],
    ['"text"'],
    ['{"id":1,"result":{}}'],
    ['{"jsonrpc":"1.0","id":1,"result":{}}'],
    ['{"jsonrpc":"2.0","id":1}'],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}'],
    ['{"jsonrpc":"2.0","id":1,"result":7}'],
    ['{"jsonrpc":"2.0","id":1,"result":[]}'],
    ['{"jsonrpc":"2.0","id":null,"result":{}}'],
    ['{"jsonrpc":"2.0","id":{},"result":{}}'],
    ['{"jsonrpc":"2.0","result":{}}'],
    ['{"jsonrpc":"2.0","id":1,"error":"no"}'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}'],
    ['{"jsonrpc":"2.0","method":7}'],
    ['[{"jsonrpc":"2.0","method":"a"}]'],
  ])("a line that is no message: %s", async (line) => {
    const error = await crash(async (guest) => {
      guest.print(`${line}\n`);
      await answers(guest);
    });
    expect(error).toMatchObject({ reason: "not_a_message", data: { line: line.slice(0, 64) } });
  });

  test("bytes that are not UTF-8", async () => {
    const error = await crash(async (guest) =>
      guest.printBytes(Uint8Array.of(0x22, 0xff, 0x22, 10)),
    );
    expect(error.reason).toBe("not_a_message");
  });

  test("nesting: 512 levels pass, 513 do not", async () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    const print = (levels: number) => async (guest: FakeGuest) => {
      const { id } = (await guest.read())!;
      // The message and its result are two levels, and the brackets in the text are none.
      guest.print(
        `{"jsonrpc":"2.0","id":"${id}","result":{"text":"\\"[[[","a":${nested(levels - 2)}}}\n`,
      );
    };
    expect(await call(print(512))).toHaveLength(1);
    expect((await crash(print(513))).reason).toBe("not_a_message");
  });

  test("an id it was not asked, also of another type", async () => {
    const ids = ["other", 1, ""];
    for (const id of ids) {
      const error = await crash(async (guest) =>
        guest.print(`${JSON.stringify({ jsonrpc: "2.0", id, result: RESULT })}\n`),
      );
      expect(error).toMatchObject({ reason: "wrong_id", data: { id } });
    }
    const error = await crash(async (guest) => {
      guest.print('{"jsonrpc":"2.0","id":"other","error":{"code":1,"message":"no"}}\n');
    });
    expect(error.reason).toBe("wrong_id");
  });

  test("one id twice", async () => {
    const error = await crash(async (guest) => {
      const request = (await guest.read())!;
      guest.answer(request, RESULT);
      guest.answer(request, RESULT);
    });
    expect(error.reason).toBe("wrong_id");
  });

  test("a request of its own", async () => {
    const error = await crash(async (guest) => {
      guest.print('{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}}\n');
      await guest.killed;
    });
    expect(error).toMatchObject({
      reason: "request",
      message: expect.stringContaining("sampling/createMessage"),
    });
  });

  test("a request whose id is null has an id", async () => {
    const error = await crash(async (guest) => {
      guest.print('{"jsonrpc":"2.0","id":null,"method":"ping"}\n');
      await answers(guest);
    });
    expect(error.reason).toBe("request");
  });

  test("an exit before the answer, whatever the code", async () => {
    for (const exitCode of [0, 1, 134]) {
      const error = await crash(async () => ({ status: "exited", exitCode }));
      expect(error).toMatchObject({ reason: "exited_early", exitCode });
    }
  });

  test("an answer without a newline", async () => {
    const error = await crash(async (guest) => {
      const { id } = (await guest.read())!;
      guest.print(JSON.stringify({ jsonrpc: "2.0", id, result: RESULT }));
    });
    expect(error).toMatchObject({
      reason: "exited_early",
      message: expect.stringContaining("newline"),
    });
  });

  test("text without a newline behind the answer", async () => {
    const error = await crash(async (guest) => {
      await answers(guest);
      guest.print("bye");
    });
    expect(error).toMatchObject({ reason: "not_a_message", data: { line: "bye" } });
  });

  test("a message without a newline behind the answer", async () => {
    const error = await crash(async (guest) => {
      await answers(guest);
      guest.print('{"jsonrpc":"2.0","method":"notifications/message"}');
    });
    expect(error).toMatchObject({
      reason: "not_a_message",
      message: expect.stringContaining("newline"),
    });
  });

  test("an exit code after the answer", async () => {
    const error = await crash(async (guest) => {
      await answers(guest);
      return { status: "exited", exitCode: 3 };
    });
    expect(error).toMatchObject({ reason: "exit_code", exitCode: 3 });
  });

  test("a late exit: a second passes, more does not", async () => {
    vi.useFakeTimers();
    const lasting = (ms: number) => async (guest: FakeGuest) => {
      await answers(guest);
      await new Promise((resolve) => setTimeout(resolve, ms));
    };
    const inTime = call(lasting(1_000));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await inTime).toEqual([RESULT]);
    const late = crash(lasting(1_100));
    await vi.advanceTimersByTimeAsync(1_100);
    expect((await late).reason).toBe("late_exit");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a trap, also after the answer", async () => {
    const trap = {
      status: "trapped",
      reason: "unreachable",
      message: "unreachable executed",
    } as const;
    expect(await crash(async () => trap)).toMatchObject({
      reason: "trapped",
      data: { trap: "unreachable" },
      message: expect.stringContaining("unreachable executed"),
    });
    const error = await crash(async (guest) => {
      await answers(guest);
      return trap;
    });
    expect(error.reason).toBe("trapped");
  });

  test("memory and time", async () => {
    const memory = { status: "out_of_memory", message: "256 of 256 MiB" } as const;
    expect((await crash(async () => memory)).reason).toBe("out_of_memory");
    const timeout = await crash(async () => ({ status: "timeout" }));
    expect(timeout).toMatchObject({
      reason: "timeout",
      message: expect.stringContaining("1000 ms"),
    });
  });

  test("stdout: 1 MiB passes, one byte more does not", async () => {
    const filled = (bytes: number) => async (guest: FakeGuest) => {
      const { id } = (await guest.read())!;
      const frame = `{"jsonrpc":"2.0","id":"${id}","result":{"content":[],"fill":""}}\n`;
      const fill = "x".repeat(bytes - frame.length);
      guest.print(frame.replace('"fill":""', `"fill":"${fill}"`));
    };
    expect(await call(filled(2 ** 20))).toHaveLength(1);
    expect((await crash(filled(2 ** 20 + 1))).reason).toBe("stdout_limit");
  });

  test("a flood kills the guest at once, and costs no more than the cap", async () => {
    let printed = 0;
    const error = await crash(async (guest) => {
      const state = { alive: true };
      void guest.killed.then(() => (state.alive = false));
      const chunk = new Uint8Array(2 ** 16).fill(0x20);
      while (state.alive) {
        guest.printBytes(chunk.slice());
        printed += chunk.length;
        await Promise.resolve();
      }
    });
    expect(error.reason).toBe("stdout_limit");
    expect(printed).toBeLessThan(2 ** 21);
  });

  test("the first thing that is wrong is the one that counts", async () => {
    const error = await crash(async (guest) => {
      guest.print('noise\n{"jsonrpc":"2.0","id":9,"method":"ping"}\n');
      return { status: "exited", exitCode: 7 };
    });
    expect(error.reason).toBe("not_a_message");
  });
});

describe("stderr", () => {
  test("the last 4 KiB are in the crash, whole characters only", async () => {
    const error = await crash(async (guest) => {
      guest.warn("lost");
      guest.warn("ü".repeat(2_048));
      guest.warn("end");
      return { status: "exited", exitCode: 1 };
    });
    // 4,096 bytes from the end begin in the middle of an ü.
    expect(error.stderr).toBe(`${"ü".repeat(2_046)}end`);
  });

  test("small pieces and huge ones come to the same", async () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join("");
    for (const size of [1, 7, 4_096, 1e6]) {
      const error = await crash(async (guest) => {
        for (let at = 0; at < text.length; at += size) guest.warn(text.slice(at, at + size));
        return { status: "exited", exitCode: 1 };
      });
      expect(error.stderr).toBe(text.slice(-4_096));
    }
  });
});

describe("what is not the package's doing", () => {
  test("rejects as it is", async () => {
    const gone = new SandboxError("worker_failed", "gone");
    const requests = [maker.callTool("greet", {})];
    const runGuest = () => ({
      send() {},
      endInput() {},
      kill() {},
      ended: Promise.reject(gone),
    });
    await expect(converse({ runGuest, requests, timeoutMs: 5 })).rejects.toBe(gone);
  });

  test("what followUp throws ends the guest and is what comes of it", async () => {
    const refused = new SandboxError("bad_package", "no");
    let killed = false;
    const runGuest = fakeGuest(async (guest) => {
      await answers(guest);
      await guest.killed;
      killed = true;
    });
    const promise = converse({
      runGuest,
      requests: [maker.discover()],
      followUp: () => {
        throw refused;
      },
      timeoutMs: 5,
    });
    await expect(promise).rejects.toBe(refused);
    await Promise.resolve();
    expect(killed).toBe(true);
  });
});
