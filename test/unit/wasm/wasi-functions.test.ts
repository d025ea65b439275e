// The types of WASI's functions against those that another implementation declares; Node.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HTTP_FUNCTIONS, typeText, WASI_FUNCTIONS } from "../../../src/wasm/wasi-functions.ts";

test("there are 46, and two of HTTP", () => {
  expect(WASI_FUNCTIONS.size).toBe(46);
  expect([...HTTP_FUNCTIONS.keys()]).toEqual(["request", "read_response"]);
});

test("AssemblyScript's bindings agree, but for sock_accept, which is newer than they are", () => {
  const file = new URL(
    "../../../node_modules/@assemblyscript/wasi-shim/assembly/bindings/wasi_snapshot_preview1.ts",
    import.meta.url,
  );
  const source = readFileSync(file, "utf8").replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
  const aliases = new Map(
    [...source.matchAll(/export type (\w+) = (\w+)/g)].map(([, name, of]) => [name, of]),
  );
  const base = (name = ""): string => (aliases.has(name) ? base(aliases.get(name)) : name);
  const declared = [
    ...source.matchAll(/export declare function (\w+)\(([^]*?)\)\s*:\s*(\w+)/g),
  ].map(([, name = "", list = "", result]) => {
    const params = list.split(",").filter((part) => part.includes(":"));
    const types = params.map((part) =>
      base(/:\s*(\w+)/.exec(part)?.[1]) === "u64" || base(/:\s*(\w+)/.exec(part)?.[1]) === "i64"
        ? "i64"
        : "i32",
    );
    return [name, typeText({ params: types, results: result === "void" ? [] : ["i32"] })];
  });
  expect(declared).toHaveLength(45);
  for (const [name = "", type] of declared) {
    const ours = WASI_FUNCTIONS.get(name);
    expect([name, ours && typeText(ours)]).toEqual([name, type]);
  }
});
