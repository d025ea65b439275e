// What a module may import of a sandbox, and what it is told where it wants more; Node.
import { expect, test } from "vitest";
import { checkImports } from "../../../src/wasm/provided-imports.ts";
import { errorOf } from "./wat.ts";

const wanted = (module: string, name: string, kind = "function") => ({ module, name, kind });

test("functions of WASI, the door, HTTP, code to load, and a memory", () => {
  checkImports([
    wanted("wasi_snapshot_preview1", "fd_read"),
    wanted("wasi_snapshot_preview1", "not_in_preview_1"),
    wanted("host", "call"),
    wanted("subako_http", "request"),
    wanted("subako_http", "read_response"),
    wanted("sallyport", "load_code"),
    wanted("anything", "memory", "memory"),
  ]);
});

test("nothing else; the message says what is missing and what there is", () => {
  const imports = [
    wanted("sallyport", "load_code", "global"),
    wanted("sallyport", "unload_code"),
    wanted("primary", "add"),
    wanted("__proto__", "toString"),
    wanted("host", "constructor"),
  ];
  const { code, message, data } = errorOf(() => checkImports(imports));
  expect(code).toBe("missing_import");
  expect(data).toEqual({
    missing: imports.map(({ module, name, kind }) => `${module}.${name} (${kind})`),
  });
  expect(message).toContain("sallyport.load_code (global), sallyport.unload_code (function)");
  expect(message).toMatch(
    /; provided are wasi_snapshot_preview1, host \(call\), subako_http \(request, read_response\), sallyport \(load_code\) and a memory$/,
  );
});
