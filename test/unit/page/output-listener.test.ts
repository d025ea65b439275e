// Output that is told at once: nothing kept, room as soon as all has arrived; Node.

import { expect, test } from "vitest";
import { OutputListener } from "../../../src/page/output-listener.ts";

test("chunks are handed on as they come, until the end", () => {
  const heard: number[] = [];
  const output = new OutputListener((bytes) => heard.push(bytes.length));
  output.receive(new Uint8Array(3));
  output.receive(new Uint8Array(2 ** 20));
  output.end();
  output.receive(new Uint8Array(1));
  expect(heard).toEqual([3, 2 ** 20]);
  expect(output.bytes()).toHaveLength(0);
  expect(output.truncated).toBe(false);
});

test("a writer has room once all that it sent is here, or nothing more is taken", async () => {
  const output = new OutputListener(() => {});
  output.receive(new Uint8Array(10));
  expect(output.room(10)).toBe(0);
  let settled = false;
  const later = Promise.resolve(output.room(30)).then((room) => {
    settled = true;
    return room;
  });
  output.receive(new Uint8Array(19));
  await Promise.resolve();
  expect(settled).toBe(false);
  output.receive(new Uint8Array(1));
  expect(await later).toBe(0);
  const never = output.room(1000);
  output.end();
  expect(await never).toBe(0);
  expect(output.room(1000)).toBe(0);
});

test("its stream is at its end", async () => {
  const { stream } = new OutputListener(() => {});
  expect(await stream.getReader().read()).toEqual({ done: true, value: undefined });
});
