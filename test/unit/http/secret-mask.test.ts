// Secrets in texts and in streams, however a stream is cut; Node.

import { describe, expect, test } from "vitest";
import { SecretMask } from "../../../src/http/secret-mask.ts";

function maskOf(...secrets: string[]): SecretMask {
  const mask = new SecretMask();
  for (const secret of secrets) mask.add(secret);
  return mask;
}

/** Runs a text through a stream in chunks of so many bytes. */
function streamed(mask: SecretMask, text: string, size: number): string {
  const bytes = new TextEncoder().encode(text);
  const stream = mask.stream()!;
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(stream.push(bytes.slice(at, at + size)));
  out.push(stream.end());
  return Buffer.concat(out).toString();
}

describe("spellings of a secret", () => {
  const mask = maskOf('Bearer abc"12/345+678');

  test.each([
    ['say Bearer abc"12/345+678!', `say ${"*".repeat(21)}!`],
    ['say abc"12/345+678!', `say ${"*".repeat(14)}!`],
    [JSON.stringify({ token: 'abc"12/345+678' }), `{"token":"${"*".repeat(15)}"}`],
    [encodeURIComponent('abc"12/345+678'), "*".repeat(20)],
    ["Bearer of news, abc", "Bearer of news, abc"],
    ["", ""],
  ])("%s", (text, masked) => {
    expect(mask.text(text)).toBe(masked);
    for (const size of [1, 2, 3, 5, 7, 1_000]) expect(streamed(mask, text, size)).toBe(masked);
  });
});

describe("streams", () => {
  test("secrets that overlap themselves, follow each other, or begin again", () => {
    const mask = maskOf("abababab");
    expect(streamed(mask, "abababababab", 1)).toBe("*".repeat(12));
    expect(streamed(mask, "abababacabababab", 3)).toBe("abababac********");
    expect(streamed(mask, "ababababab", 4)).toBe("*".repeat(10));
    expect(streamed(mask, "abababa", 2)).toBe("abababa");
  });

  test("several secrets, one inside the other", () => {
    const mask = maskOf("0123456789", "23456789xyz");
    expect(streamed(mask, "..0123456789xyz..", 1)).toBe(`..${"*".repeat(13)}..`);
    expect(streamed(mask, "..0123456789xy..", 1)).toBe(`..${"*".repeat(10)}xy..`);
  });

  test("a secret in chance texts is gone, whatever the chunks, and nothing else is", () => {
    const secret = "aabaabaaab";
    const mask = maskOf(secret);
    for (let round = 0; round < 500; round += 1) {
      const bits = Array.from({ length: 60 }, (_, at) => ((round * 7_919 + at * at * 31) >> 3) & 1);
      const text = bits.map((bit) => "ab"[bit]).join("") + secret + "ab";
      const masked = streamed(mask, text, 1 + (round % 13));
      expect(masked).toHaveLength(text.length);
      expect(masked).not.toContain(secret);
      expect(masked).toBe(streamed(mask, text, text.length));
    }
  });

  test("no secret, no search", () => {
    expect(new SecretMask().stream()).toBeUndefined();
    expect(maskOf("short").stream()).toBeUndefined();
    expect(maskOf("short").text("short")).toBe("short");
  });

  test("a text that almost matches all the time takes linear time", () => {
    const mask = maskOf(`${"a".repeat(8_000)}b`);
    const started = performance.now();
    streamed(mask, "a".repeat(4_000_000), 65_536);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test("secrets that change with every request do not pile up", () => {
    const mask = new SecretMask();
    for (let index = 0; index < 100; index += 1)
      mask.add(`token-${String(index).padStart(10, "0")}`);
    expect(mask.text("token-0000000099")).toBe("*".repeat(16));
    expect(mask.text("token-0000000001")).toBe("token-0000000001");
  });
});
