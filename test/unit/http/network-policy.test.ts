// The egress policy: spellings of hosts, entries of the list, and public URL test data; Node.

import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { displayHost } from "../../../src/http/display-host.ts";
import { HttpFailure } from "../../../src/http/http-failure.ts";
import { createNetworkPolicy, type HostOption } from "../../../src/http/network-policy.ts";
import { debianCorpus } from "./debian-corpus.ts";
import { allowedUrls, misleadingUrls, privateHosts } from "./url-spellings.ts";

const policy = createNetworkPolicy({ allow: ["example.com", "*.example.com"] });

/** What the policy says of a URL: the URL it would send to, or the kind of refusal. */
function verdict(url: string, judge = policy): string {
  try {
    return judge.admit(url).url.href;
  } catch (error) {
    if (error instanceof HttpFailure) return error.kind;
    throw error;
  }
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof SandboxError) return error.code;
    throw error;
  }
}

describe("spellings", () => {
  test.each(privateHosts)("%j is a forbidden destination", (host) => {
    expect(verdict(`https://${host}/`)).toBe("forbidden_destination");
  });

  test.each(misleadingUrls)("%j is refused", (url) => {
    expect(["invalid_request", "forbidden_destination", "host_not_allowed"]).toContain(
      verdict(url),
    );
  });

  test.each(allowedUrls)("%j goes to %s", (url, host) => {
    const admitted = new URL(verdict(url));
    expect([admitted.protocol, admitted.hostname, admitted.port]).toEqual(["https:", host, ""]);
    expect([admitted.username, admitted.password, admitted.hash]).toEqual(["", "", ""]);
  });

  test.each([
    ["https://user@example.com/", "invalid_request"],
    ["http://example.com/", "forbidden_destination"],
    ["http://evil.test/", "forbidden_destination"],
    ["ftp://example.com/", "invalid_request"],
    ["https://example.com:8443/", "host_not_allowed"],
    ["https://evil.test/", "host_not_allowed"],
    ["https://*.example.com/", "invalid_request"],
    ["example.com", "invalid_request"],
    [`https://example.com/${"a".repeat(32_768)}`, "invalid_request"],
    [`https://${"a.".repeat(127)}example.com/`, "invalid_request"],
    [`https://${"a".repeat(64)}.example.com/`, "invalid_request"],
  ])("%s: %s", (url, kind) => {
    expect(verdict(url)).toBe(kind);
  });
});

describe("entries", () => {
  test("nothing is allowed by default", () => {
    const closed = createNetworkPolicy({ allow: [] });
    for (const [url] of allowedUrls) expect(verdict(url, closed)).toBe("host_not_allowed");
  });

  test("a wildcard stands for the names below, on a label boundary, and not for itself", () => {
    const below = createNetworkPolicy({ allow: ["*.example.com"] });
    expect(verdict("https://a.example.com/", below)).toBe("https://a.example.com/");
    expect(verdict("https://a.b.example.com/", below)).toBe("https://a.b.example.com/");
    for (const url of [
      "https://example.com/",
      "https://evilexample.com/",
      "https://.example.com/",
    ]) {
      expect(verdict(url, below)).toMatch(/host_not_allowed|invalid_request/);
    }
  });

  test("an exact host does not stand for names below it", () => {
    const exact = createNetworkPolicy({ allow: ["example.com"] });
    expect(verdict("https://www.example.com/", exact)).toBe("host_not_allowed");
  });

  test("a port is 443 unless listed", () => {
    for (const allow of [["example.com:8443"], [{ host: "example.com", port: 8443 }]]) {
      const other = createNetworkPolicy({ allow });
      expect(verdict("https://example.com:8443/", other)).toBe("https://example.com:8443/");
      expect(verdict("https://example.com/", other)).toBe("host_not_allowed");
    }
  });

  test("trust in redirects belongs to the entry that matches", () => {
    const mixed = createNetworkPolicy({
      allow: [{ host: "*.example.com", redirects: "trusted" }, "example.com"],
    });
    expect(mixed.admit("https://a.example.com/").trustedRedirects).toBe(true);
    expect(mixed.admit("https://example.com/").trustedRedirects).toBe(false);
  });

  test("an entry may be written in capitals and with a trailing dot", () => {
    const loud = createNetworkPolicy({ allow: ["API.Example.COM."] });
    expect(verdict("https://api.example.com/", loud)).toBe("https://api.example.com/");
  });

  const impossible: unknown[] = [
    ...privateHosts.filter((host) => !host.includes(":443")),
    ...[
      "",
      "*",
      "*.",
      "**.example.com",
      "*.com",
      "a.*.com",
      "https://example.com",
      "example.com/path",
    ],
    ...[
      "user@example.com",
      "example.com?",
      "example.com#",
      "exa mple.com",
      "bücher.example",
      "ｅxample.com",
    ],
    ...["example..com", ".example.com", "example.com:0", "example.com:65536", "example.com:https"],
    ...[{}, { host: 7 }, { host: "example.com:8443" }, { host: "example.com", port: "443" }],
    ...[
      { host: "example.com", port: 1.5 },
      { host: "example.com", redirects: "follow" },
    ],
  ];
  test.each(impossible)("%j cannot be allowed", (entry) => {
    expect(codeOf(() => createNetworkPolicy({ allow: [entry as HostOption] }))).toBe("bad_option");
  });

  test("an entry in Unicode is told its punycode", () => {
    const compile = (): unknown => createNetworkPolicy({ allow: ["bücher.example"] });
    expect(compile).toThrow("xn--bcher-kva.example (bücher.example)");
  });

  test("options that are none", () => {
    for (const network of [undefined, null, {}, { allow: "example.com" }, []]) {
      expect(codeOf(() => createNetworkPolicy(network as never))).toBe("bad_option");
    }
  });
});

describe("international names", () => {
  test.each([
    ["example.com", "example.com"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example (bücher.example)"],
    ["xn--fsqu00a.xn--0zwm56d", "xn--fsqu00a.xn--0zwm56d (例子.测试)"],
    ["xn--xample-2of.com", "xn--xample-2of.com (\u0435xample.com)"],
    ["xn--.com", "xn--.com (.com)"],
    ["xn--999999999.com", "xn--999999999.com"],
    ["xn--ab_.com", "xn--ab_.com"],
  ])("%s is shown as %s", (host, shown) => {
    expect(displayHost(host)).toBe(shown);
  });

  test("a refusal shows the Unicode form, so that a look-alike is seen", () => {
    expect(() => policy.admit("https://\u0435xample.com/")).toThrow(
      "xn--xample-2of.com (\u0435xample.com) is not in the page's network allowlist",
    );
  });
});

interface UrlCase {
  readonly input: string;
  readonly base: string | null;
  readonly failure?: boolean;
  readonly hostname?: string;
  readonly port?: string;
  readonly protocol?: string;
}

const urlData = debianCorpus("librust-url-dev", "tests/urltestdata.json");
describe.skipIf(!urlData)("the URL standard's test data", () => {
  const all: (UrlCase | string)[] = JSON.parse(urlData ?? "[]");
  const cases = all.filter(
    (one): one is UrlCase =>
      typeof one === "object" &&
      (one.base === null || one.base === "about:blank") &&
      /^\s*https?:/i.test(one.input),
  );

  test("has over 200 absolute http(s) URLs, and none gives a host that its canonical form would not", () => {
    expect(cases.length).toBeGreaterThan(200);
    const hosts = new Set(cases.map((one) => one.hostname?.replace(/\.$/, "") ?? ""));
    const listable = [...hosts].filter(
      (host) => codeOf(() => createNetworkPolicy({ allow: [host] })) === "none",
    );
    expect(listable.length).toBeGreaterThan(8);
    // Everything the data ever means is listed: only the spelling can decide.
    const open = createNetworkPolicy({ allow: listable });
    for (const one of cases) {
      const said = verdict(one.input, open);
      if (one.failure) expect(said, one.input).toBe("invalid_request");
      if (said.startsWith("https:")) {
        expect(new URL(said).hostname, one.input).toBe(one.hostname!.replace(/\.$/, ""));
        expect([one.protocol, one.port]).toEqual(["https:", ""]);
      }
    }
    // And nothing of it is this list's, but for its own two names.
    for (const one of cases) {
      const said = verdict(one.input);
      if (said.startsWith("https:"))
        expect(new URL(said).hostname).toMatch(/^(.+\.)?example\.com$/);
    }
  });
});

const idnaData = debianCorpus("librust-idna-dev", "tests/IdnaTestV2.txt");
describe.skipIf(!idnaData)("Unicode's IDNA test data", () => {
  test("gives no ASCII name that could be taken for another host", () => {
    const names = (idnaData ?? "")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => unescapeIdna(line.split(";")[0]!.trim()));
    expect(names.length).toBeGreaterThan(3_000);
    for (const name of names) {
      for (const url of [`https://${name}/`, `https://${name}.example.com/`]) {
        const said = verdict(url);
        if (!said.startsWith("https:")) continue;
        // What is admitted is plain ASCII below the listed name, and parses to itself.
        const { hostname, href } = new URL(said);
        expect(hostname).toMatch(/^([a-z0-9_-]+\.)*example\.com$/);
        expect(verdict(href)).toBe(said);
      }
    }
  });
});

function unescapeIdna(text: string): string {
  return text.replaceAll(/\\u([0-9A-Fa-f]{4})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
