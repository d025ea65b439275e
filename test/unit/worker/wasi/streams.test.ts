// Standard streams, polling and the door device through the imports, with a page that answers by hand.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test } from "vitest";
import {
  DOOR_REQUEST_BYTES,
  OUTPUT_CHUNK_BYTES,
  OUTPUT_IN_FLIGHT_BYTES,
} from "../../../../src/limits.ts";
import type { HttpCall } from "../../../../src/worker/http-call.ts";
import type { CallAnswer, CallKind, Pending } from "../../../../src/wire/blocking-call.ts";
import { decodeCreditRequest, decodeNumber, encodeNumber } from "../../../../src/wire/messages.ts";
import { DATA, RESULT, STRUCT, TestGuest } from "./test-guest.ts";

const encoder = new TextEncoder();
const ok = (bytes: Uint8Array | string | number): CallAnswer => ({
  ok: true,
  bytes:
    typeof bytes === "number"
      ? encodeNumber(bytes)
      : typeof bytes === "string"
        ? encoder.encode(bytes)
        : bytes,
});

const SIXTEEN = new Uint8Array(16);

/** A page that answers from a list and writes down what it was asked. */
function scripted(answers: CallAnswer[]): {
  asked: string[];
  answer: (kind: CallKind, request: Uint8Array) => CallAnswer;
} {
  const asked: string[] = [];
  return {
    asked,
    answer: (kind, request) => {
      const { stream, sentBytes } = decodeCreditRequest(request.length === 16 ? request : SIXTEEN);
      const numbers = kind === "credit" ? `${stream} ${sentBytes}` : decodeNumber(request);
      asked.push(`${kind} ${numbers}`);
      const next = answers.shift();
      if (next === undefined) throw new Error(`nothing to answer to ${asked.join()}`);
      return next;
    },
  };
}

describe("stdin of bytes", () => {
  test("is read in any portions, then EOF for ever", () => {
    const guest = new TestGuest({ stdin: { kind: "bytes", bytes: encoder.encode("hello") } });
    expect(guest.readText(0, 2)).toBe("he");
    expect(guest.readText(0, 0)).toBe("");
    expect(guest.readText(0, 100)).toBe("llo");
    expect(guest.readText(0, 100)).toBe("");
    expect(guest.readText(0, 100)).toBe("");
    expect(guest.write(0, "x")).toBe(-wasi.ERRNO_BADF);
  });
});

describe("stdin asked from the page", () => {
  const blocking = { stdin: { kind: "blocking" as const } };

  test("keeps what was not read, and never asks after the end", () => {
    const page = scripted([ok("a longer line\n"), ok("")]);
    const guest = new TestGuest({ ...blocking, answer: page.answer });
    expect(guest.readText(0, 2)).toBe("a ");
    expect(guest.readText(0, 1000)).toBe("longer line\n");
    expect(guest.readText(0, 1000)).toBe("");
    expect(guest.readText(0, 1000)).toBe("");
    expect(page.asked).toEqual(["stdin 2", "stdin 1000"]);
  });

  test("a read of nothing asks nothing; a host that fails is IO", () => {
    const page = scripted([{ ok: false }]);
    const guest = new TestGuest({ ...blocking, answer: page.answer });
    expect(guest.readText(0, 0)).toBe("");
    expect(guest.readText(0, 5)).toBe(-wasi.ERRNO_IO);
    expect(page.asked).toEqual(["stdin 5"]);
  });

  test("nonblocking: AGAIN when there is nothing yet", () => {
    const page = scripted([ok(0), ok(1), ok("x")]);
    const guest = new TestGuest({ ...blocking, answer: page.answer });
    expect(guest.call("fd_fdstat_set_flags", 0, wasi.FDFLAGS_NONBLOCK)).toBe(0);
    expect(guest.readText(0, 5)).toBe(-wasi.ERRNO_AGAIN);
    expect(guest.readText(0, 5)).toBe("x");
    expect(page.asked[0]).toBe("poll 0");
  });
});

describe("poll_oneoff", () => {
  const subscribe = (
    guest: TestGuest,
    index: number,
    type: number,
    value: number,
    ms = 0,
  ): void => {
    const at = STRUCT + index * 48;
    guest.bytes.fill(0, at, at + 48);
    guest.view.setBigUint64(at, BigInt(index), true);
    guest.bytes[at + 8] = type;
    guest.view.setUint32(at + 16, value, true);
    if (type === wasi.EVENTTYPE_CLOCK)
      guest.view.setBigUint64(at + 24, BigInt(ms) * 1_000_000n, true);
  };
  const poll = (guest: TestGuest, count: number): string[] => {
    expect(guest.call("poll_oneoff", STRUCT, DATA, count, RESULT)).toBe(0);
    return Array.from({ length: guest.u32(RESULT) }, (_, i) => {
      const at = DATA + i * 32;
      const error = guest.view.getUint16(at + 8, true);
      return [
        guest.u64(at),
        guest.bytes[at + 10],
        error,
        guest.u64(at + 16),
        guest.view.getUint16(at + 24, true),
      ].join(" ");
    });
  };
  const { EVENTTYPE_CLOCK: CLOCK, EVENTTYPE_FD_READ: READ, EVENTTYPE_FD_WRITE: WRITE } = wasi;

  test("a mix: all that is ready now is told at once, clocks that are not over are not", () => {
    const guest = new TestGuest({
      files: { "/f": "abc" },
      stdin: { kind: "bytes", bytes: encoder.encode("hi") },
    });
    const fd = guest.open("f");
    guest.read(fd, 1);
    subscribe(guest, 0, CLOCK, 1, 60_000);
    subscribe(guest, 1, READ, 0);
    subscribe(guest, 2, WRITE, 1);
    subscribe(guest, 3, READ, fd);
    subscribe(guest, 4, READ, 77);
    subscribe(guest, 5, CLOCK, 1, 0);
    subscribe(guest, 6, WRITE, 0);
    expect(poll(guest, 7)).toEqual([
      "1 1 0 2 0",
      `2 2 0 ${OUTPUT_IN_FLIGHT_BYTES} 0`,
      "3 1 0 2 0",
      `4 1 ${wasi.ERRNO_BADF} 0 0`,
      "5 0 0 0 0",
      `6 2 ${wasi.ERRNO_BADF} 0 0`,
    ]);
  });

  test("stdin at its end is readable and hung up", () => {
    const guest = new TestGuest();
    subscribe(guest, 0, READ, 0);
    expect(poll(guest, 1)).toEqual(["0 1 0 0 1"]);
  });

  test("waits for input of the page, until the deadline", () => {
    const page = scripted([ok(0), ok(0), ok(1), ok("typed"), ok(1), ok("")]);
    const guest = new TestGuest({
      stdin: { kind: "blocking" },
      deterministic: { seed: 0, timeMs: 0 },
      answer: page.answer,
    });
    subscribe(guest, 0, READ, 0);
    subscribe(guest, 1, CLOCK, 1, 50);
    expect(poll(guest, 2)).toEqual(["1 0 0 0 0"]);
    // A clock that stands still does not wait for what may come.
    expect(page.asked).toEqual(["poll 0"]);
    // A wake-up without input and without an end: it waits on.
    expect(poll(guest, 1)).toEqual(["0 1 0 5 0"]);
    expect(page.asked.slice(1, 3)).toEqual(["poll Infinity", "poll Infinity"]);
    expect(guest.readText(0, 100)).toBe("typed");
    subscribe(guest, 0, READ, 0);
    expect(poll(guest, 1)).toEqual(["0 1 0 0 1"]);
    expect(guest.readText(0, 100)).toBe("");
  });

  test("asks the page to wait no longer than the nearest clock", () => {
    const guest = new TestGuest({ stdin: { kind: "blocking" } });
    subscribe(guest, 0, READ, 0);
    subscribe(guest, 1, CLOCK, 1, 5000);
    subscribe(guest, 2, CLOCK, 1, 500);
    const step = guest.step("poll_oneoff", STRUCT, DATA, 3, RESULT) as Pending & { wait: "call" };
    expect([step.wait, step.kind]).toEqual(["call", "poll"]);
    expect(decodeNumber(step.request)).toBeGreaterThan(400);
    expect(decodeNumber(step.request)).toBeLessThanOrEqual(500);
  });

  test("a page that fails wakes the guest instead of being asked for ever", () => {
    const page = scripted([{ ok: false }, { ok: false }]);
    const guest = new TestGuest({ stdin: { kind: "blocking" }, answer: page.answer });
    subscribe(guest, 0, READ, 0);
    expect(poll(guest, 1)).toEqual(["0 1 0 0 1"]);
  });

  test("a plain sleep is a sleep, of the length that was asked for", () => {
    const guest = new TestGuest();
    subscribe(guest, 0, CLOCK, 1, 600_000);
    const step = guest.step("poll_oneoff", STRUCT, DATA, 1, RESULT) as Pending & { wait: "sleep" };
    expect(step.wait).toBe("sleep");
    expect(step.ms).toBeGreaterThan(599_000);
    expect(step.ms).toBeLessThanOrEqual(600_000);
  });

  test("1,025 subscriptions are INVAL", () => {
    const guest = new TestGuest({ pages: 8 });
    expect(guest.call("poll_oneoff", 0, 65_536, 1025, RESULT)).toBe(wasi.ERRNO_INVAL);
  });
});

describe("output", () => {
  test("leaves at once, in one piece per write, each stream by itself", () => {
    const guest = new TestGuest();
    guest.write(1, "a prompt> ");
    guest.write(2, "oops");
    guest.write(1, "");
    expect([guest.text(1), guest.text(2)]).toEqual(["a prompt> ", "oops"]);
    expect(guest.output[1]).toHaveLength(1);
  });

  test("several iovecs are one piece, in order", () => {
    const guest = new TestGuest();
    guest.put("one", DATA);
    guest.put("two", DATA + 100);
    [DATA, 3, DATA + 50, 0, DATA + 100, 3].forEach((value, i) => {
      guest.view.setUint32(STRUCT + 4 * i, value, true);
    });
    expect(guest.call("fd_write", 1, STRUCT, 3, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(6);
    expect(guest.text(1)).toBe("onetwo");
    expect(guest.output[1]).toHaveLength(1);
  });

  test("a write larger than the window goes out in slices, waits for room, and counts in full", () => {
    const window = OUTPUT_IN_FLIGHT_BYTES;
    const page = scripted([ok(window - 1000), ok(0), ok(0)]);
    const guest = new TestGuest({ pages: 32, answer: page.answer });
    const size = window * 2 + 5000;
    for (let i = 0; i < size; i++) guest.bytes[65_536 + i] = i % 251;
    guest.view.setUint32(STRUCT, 65_536, true);
    guest.view.setUint32(STRUCT + 4, size, true);
    expect(guest.call("fd_write", 1, STRUCT, 1, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(size);
    expect(guest.output[1].map((bytes) => bytes.length)).toEqual([window, 1000, window, 4000]);
    expect(page.asked).toEqual([
      `credit 1 ${window}`,
      `credit 1 ${window + 1000}`,
      `credit 1 ${2 * window + 1000}`,
    ]);
    const all = Buffer.concat(guest.output[1]);
    expect(all.every((byte, i) => byte === i % 251)).toBe(true);
  });

  test("small writes never ask before the window is full", () => {
    const page = scripted([ok(0)]);
    const guest = new TestGuest({ answer: page.answer });
    // A chunk counts more than its bytes, so that writing byte by byte is held up as well.
    const fit = Math.ceil(OUTPUT_IN_FLIGHT_BYTES / (1024 + OUTPUT_CHUNK_BYTES));
    for (let i = 0; i < fit; i++) guest.write(2, "x".repeat(1024));
    expect(page.asked).toEqual([]);
    guest.write(2, "y");
    expect(page.asked).toEqual([`credit 2 ${fit * 1024}`]);
    expect(guest.text(2)).toHaveLength(fit * 1024 + 1);
  });

  test("what nobody will miss is dropped, counted as written, and asked about again", () => {
    const page = scripted([ok(-10), ok(0)]);
    const guest = new TestGuest({ answer: page.answer, pages: 32 });
    guest.view.setUint32(STRUCT, 65_536, true);
    guest.view.setUint32(STRUCT + 4, OUTPUT_IN_FLIGHT_BYTES, true);
    expect(guest.call("fd_write", 1, STRUCT, 1, RESULT)).toBe(0);
    for (let i = 0; i < 5; i++) guest.write(1, "gone");
    expect(guest.text(1)).toHaveLength(OUTPUT_IN_FLIGHT_BYTES + 10);
    expect(page.asked).toEqual([`credit 1 ${OUTPUT_IN_FLIGHT_BYTES}`]);
  });

  test("a page that fails ends the write short, or as IO", () => {
    const guest = new TestGuest({ pages: 32, answer: () => ({ ok: false }) });
    guest.view.setUint32(STRUCT, 65_536, true);
    guest.view.setUint32(STRUCT + 4, OUTPUT_IN_FLIGHT_BYTES + 1, true);
    expect(guest.call("fd_write", 1, STRUCT, 1, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(OUTPUT_IN_FLIGHT_BYTES);
    expect(guest.call("fd_write", 1, STRUCT, 1, RESULT)).toBe(wasi.ERRNO_IO);
  });

  test("reading it is BADF", () => {
    expect(new TestGuest().read(1, 5)).toBe(-wasi.ERRNO_BADF);
  });
});

describe("the door device", () => {
  const open = (
    answer: (kind: CallKind, request: Uint8Array) => CallAnswer,
  ): [TestGuest, number] => {
    // As createHttpCall asks: the document in, the answer out.
    const httpDevice: HttpCall = (document, then) => ({
      wait: "call",
      kind: "http",
      request: document,
      resume: (reply) => then(reply.ok ? reply.bytes.slice() : new Uint8Array(0)),
    });
    const guest = new TestGuest({ files: {}, device: true, httpDevice, answer, pages: 64 });
    return [guest, guest.open("dev/door")];
  };
  const echo = (kind: CallKind, request: Uint8Array): CallAnswer =>
    ok(`${kind}:${new TextDecoder().decode(request)}`);

  test("a line is a frame; the answer comes back with a newline, then nothing", () => {
    const [guest, fd] = open(echo);
    expect(guest.write(fd, '{"v":')).toBe(5);
    expect(guest.readText(fd)).toBe("");
    expect(guest.write(fd, "1}\n")).toBe(3);
    expect(guest.readText(fd, 6)).toBe("door:{");
    expect(guest.readText(fd)).toBe('"v":1}\n');
    expect(guest.readText(fd)).toBe("");
    expect(guest.write(fd, "again\n")).toBe(6);
    expect(guest.readText(fd)).toBe("door:again\n");
  });

  test("a write ends at the newline: the rest is another frame", () => {
    const [guest, fd] = open(echo);
    expect(guest.write(fd, "one\ntwo\n")).toBe(4);
    expect(guest.readText(fd)).toBe("door:one\n");
    expect(guest.write(fd, "two\n")).toBe(4);
    expect(guest.readText(fd)).toBe("door:two\n");
  });

  test("iovecs join, as a libc writes them", () => {
    const [guest, fd] = open(echo);
    guest.put("ab", DATA);
    guest.put("cd\nxx", DATA + 100);
    [DATA, 2, DATA + 100, 5].forEach((value, i) =>
      guest.view.setUint32(STRUCT + 4 * i, value, true),
    );
    expect(guest.call("fd_write", fd, STRUCT, 2, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(5);
    expect(guest.readText(fd)).toBe("door:abcd\n");
  });

  test("two descriptors do not mix", () => {
    const [guest, a] = open(echo);
    const b = guest.open("dev/door");
    guest.write(a, "A");
    guest.write(b, "B\n");
    guest.write(a, "A\n");
    expect(guest.readText(b)).toBe("door:B\n");
    expect(guest.readText(a)).toBe("door:AA\n");
  });

  test("a failing host is IO, and the next frame starts clean", () => {
    let fails = true;
    const [guest, fd] = open((kind, request) => (fails ? { ok: false } : echo(kind, request)));
    expect(guest.write(fd, "x\n")).toBe(-wasi.ERRNO_IO);
    expect(guest.readText(fd)).toBe("");
    fails = false;
    expect(guest.write(fd, "y\n")).toBe(2);
    expect(guest.readText(fd)).toBe("door:y\n");
  });

  test("a frame past the limit is not kept: its length goes, to the byte", () => {
    const asked: string[] = [];
    const [guest, fd] = open((kind, request) => {
      asked.push(`${kind} ${kind === "door" ? request.length : decodeNumber(request)}`);
      return ok("no");
    });
    const write = (length: number): void => {
      guest.bytes.fill(120, 65_536, 65_536 + length);
      guest.view.setUint32(STRUCT, 65_536, true);
      guest.view.setUint32(STRUCT + 4, length, true);
      expect(guest.call("fd_write", fd, STRUCT, 1, RESULT)).toBe(0);
    };
    write(DOOR_REQUEST_BYTES);
    guest.write(fd, "\n");
    write(DOOR_REQUEST_BYTES);
    guest.write(fd, "x\n");
    for (let i = 0; i < 5; i++) write(DOOR_REQUEST_BYTES);
    guest.write(fd, "\n");
    guest.write(fd, "\n");
    expect(asked).toEqual([
      `door ${DOOR_REQUEST_BYTES}`,
      `door_length ${DOOR_REQUEST_BYTES + 1}`,
      `door_length ${DOOR_REQUEST_BYTES * 5}`,
      "door 0",
    ]);
  });

  test("behaves as a file that the interpreters can buffer: seek and tell give 0, no terminal", () => {
    const [guest, fd] = open(echo);
    expect(guest.call("fd_seek", fd, 10n, wasi.WHENCE_SET, RESULT)).toBe(0);
    expect(guest.u64(RESULT)).toBe(0n);
    expect(guest.call("fd_tell", fd, RESULT)).toBe(0);
    expect(guest.call("fd_filestat_set_size", fd, 0n)).toBe(0);
    guest.call("fd_fdstat_get", fd, STRUCT);
    expect(guest.bytes[STRUCT]).toBe(wasi.FILETYPE_CHARACTER_DEVICE);
    const places = BigInt(wasi.RIGHTS_FD_SEEK | wasi.RIGHTS_FD_TELL);
    expect(guest.u64(STRUCT + 8) & places).toBe(places);
    const truncated = guest.open("dev/door", { oflags: wasi.OFLAGS_CREAT | wasi.OFLAGS_TRUNC });
    expect(truncated).toBeGreaterThan(fd);
    expect(guest.open("dev/door", { oflags: wasi.OFLAGS_CREAT | wasi.OFLAGS_EXCL })).toBe(
      -wasi.ERRNO_EXIST,
    );
  });

  test("the http device frames alike and has its own kind", () => {
    const [guest] = open(echo);
    const fd = guest.open("dev/http");
    guest.write(fd, "{}\n");
    expect(guest.readText(fd)).toBe("http:{}\n");
  });

  test("a line that is too long for the http device gets an answer that says so", () => {
    const [guest] = open(() => {
      throw new Error("nothing is asked");
    });
    const fd = guest.open("dev/http");
    const piece = "x".repeat(2 ** 20);
    for (let n = 0; n < 9; n++) guest.write(fd, piece);
    guest.write(fd, "\n");
    expect(guest.readText(fd)).toMatch(/^\{"error":\{"kind":"invalid_request".*9437184/);
  });
});
