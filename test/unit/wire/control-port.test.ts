// The worker's half of the control port against Comlink's own other half; Node.

import * as Comlink from "comlink";
import { afterEach, beforeEach, expect, test } from "vitest";
import { servePort, Transferred, type Served } from "../../../src/wire/control-port.ts";

interface Api {
  add(a: number, b: number): number;
  nothing(): void;
  later(bytes: Uint8Array): Promise<{ length: number }>;
  buffer(): Uint8Array<ArrayBuffer>;
  fails(): number;
}

let channel: MessageChannel;
let gone: Uint8Array<ArrayBuffer>;
let api: Comlink.Remote<Api>;

beforeEach(() => {
  channel = new MessageChannel();
  gone = new Uint8Array([1, 2, 3]);
  const served: Served<Api> = {
    add: (a, b) => a + b,
    nothing: () => undefined,
    later: async (bytes) => ({ length: bytes.length }),
    buffer: () => new Transferred(gone, [gone.buffer]),
    fails: () => {
      throw new TypeError("not so");
    },
  };
  servePort(channel.port1, served);
  api = Comlink.wrap<Api>(channel.port2);
});

afterEach(() => {
  channel.port1.close();
  channel.port2.close();
});

test("values come back, now or later, many at once", async () => {
  const sums = await Promise.all([api.add(1, 2), api.add(3, 4), api.add(5, 6)]);
  expect(sums).toEqual([3, 7, 11]);
  expect(await api.nothing()).toBeUndefined();
  expect(await api.later(new Uint8Array(9))).toEqual({ length: 9 });
});

test("buffers go over without a copy where that is asked", async () => {
  expect(await api.buffer()).toEqual(new Uint8Array([1, 2, 3]));
  expect(gone.length).toBe(0);
});

test("an error rejects with its name, message and stack", async () => {
  const error = await api.fails().then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  expect([error?.name, error?.message]).toEqual(["TypeError", "not so"]);
  expect(error?.stack).toContain("control-port.test.ts");
});

test("what is no call of a function is left alone", async () => {
  channel.port2.postMessage({ id: "x", type: "GET", path: ["add"] });
  channel.port2.postMessage({ id: "y", type: "RELEASE" });
  expect(await api.add(2, 2)).toBe(4);
});
