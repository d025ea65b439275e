// Credentials that the page adds: per origin, per request, never the guest's to set or see; Node.

import { describe, expect, test } from "vitest";
import type { CredentialOption } from "../../../src/http/credentials.ts";
import { createHttpDoor } from "../../../src/http/http-door.ts";
import { ask, kindOf } from "./ask.ts";
import { codeOf, doorOver, network, never, url } from "./door-over.ts";

const origin = "https://api.example.com";
const secret = "Bearer canary-0123456789";

function withCredentials(...credentials: CredentialOption[]): ReturnType<typeof doorOver> {
  return doorOver(undefined, { network: { ...network, credentials } });
}

describe("credentials", () => {
  test("a value is added for its origin, and for no other", async () => {
    const { door, sent } = withCredentials({ origin, header: "Authorization", value: secret });
    await ask(door, { url });
    await ask(door, { url: "https://other.example.com/" });
    expect(sent.map(({ headers }) => headers["authorization"])).toEqual([secret, undefined]);
  });

  test("a port makes another origin", async () => {
    const credentials = [{ origin: `${origin}:8443`, header: "x-key", value: secret }];
    const allow = ["api.example.com", "api.example.com:8443"];
    const { door, sent } = doorOver(undefined, { network: { allow, credentials } });
    await ask(door, { url });
    await ask(door, { url: `${origin}:8443/` });
    expect(sent.map(({ headers }) => headers["x-key"])).toEqual([undefined, secret]);
  });

  test("a function is asked for every request, and only when something is sent", async () => {
    let asked = 0;
    const value = async (): Promise<string> => `Bearer token-${++asked}`;
    const { door, sent } = withCredentials({ origin, header: "authorization", value });
    await ask(door, { url });
    await ask(door, { url });
    await ask(door, { url, headers: { Accept: "refused" } });
    await ask(door, { url: "https://other.example.com/" });
    expect(asked).toBe(2);
    expect(sent[1]?.headers["authorization"]).toBe("Bearer token-2");
  });

  test("several headers for one origin are all added", async () => {
    const { door, sent } = withCredentials(
      { origin, header: "x-app", value: "application" },
      { origin, header: "x-key", value: secret },
    );
    await ask(door, { url });
    expect(sent[0]?.headers).toMatchObject({ "x-app": "application", "x-key": secret });
  });

  test.each(["authorization", "Authorization", "AUTHORIZATION"])(
    "a guest that sets %s is refused before anything else of its headers is judged",
    async (name) => {
      const { door, sent } = withCredentials({ origin, header: "authorization", value: secret });
      const answer = await ask(door, { url, headers: { [name]: "mine", "b@d": "x" } });
      expect(kindOf(answer)).toBe("credential_header");
      expect(sent).toEqual([]);
      const other = { url: "https://other.example.com/", headers: { authorization: "mine" } };
      expect(kindOf(await ask(door, other))).toBe("ok");
    },
  );

  const failing: readonly (readonly [string, readonly CredentialOption["value"][]])[] = [
    ["two to choose from", [secret, "Bearer other-0123456789"]],
    ["a function that throws", [() => Promise.reject(new Error(secret))]],
    [
      "a function that throws in place",
      [
        () => {
          throw new Error(secret);
        },
      ],
    ],
    ["an empty value", [async () => " "]],
    ["no value", [async () => undefined as unknown as string]],
    ["a value that cannot be sent", [async () => `${secret}\r\nx: y`]],
  ];
  test.each(failing)("%s: credential_unavailable", async (_what, values) => {
    const options = values.map((value) => ({ origin, header: "authorization", value }));
    const { door, sent } = withCredentials(...options);
    const answer = await ask(door, { url });
    expect(kindOf(answer)).toBe("credential_unavailable");
    expect(JSON.stringify([answer, door.requests])).not.toContain("0123456789");
    expect(sent).toEqual([]);
  });

  test("a function that never answers ends with the timeout", async () => {
    const { door } = withCredentials({ origin, header: "authorization", value: never });
    expect(kindOf(await ask(door, { url, timeout_ms: 20 }))).toBe("timeout");
  });

  test.each([
    [{ origin: "api.example.com" }],
    [{ origin: "http://api.example.com" }],
    [{ origin: `${origin}/path` }],
    [{ origin: "https://127.0.0.1" }],
    [{ origin: "https://user@api.example.com" }],
    [{ header: "" }],
    [{ header: 7 }],
    [{ header: "bad name" }],
    [{ header: "Host" }],
    [{ header: "Content-Length" }],
    [{ header: "cookie" }],
    [{ header: "Sec-Own" }],
    [{ value: "" }],
    [{ value: "line\nbreak" }],
    [{ value: undefined }],
  ])("%j is a bad option", (wrong) => {
    const option = { origin, header: "authorization", value: secret, ...wrong };
    const credentials = [option as CredentialOption];
    expect(codeOf(() => createHttpDoor({ network: { ...network, credentials } }))).toBe(
      "bad_option",
    );
  });

  test("no message of a bad option holds the value", () => {
    const credentials = [{ origin, header: "authorization", value: `${secret}\n` }];
    expect(() => createHttpDoor({ network: { ...network, credentials } })).toThrow(
      /^(?!.*canary).*authorization/,
    );
  });
});
