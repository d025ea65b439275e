// What a guest is called where nobody says it: the name of its file; page and Node.

import type { ModuleSource } from "./load-module.ts";

/** argv[0] by default: the file's name without its ending. */
export function nameOfModule(source: ModuleSource): string {
  const address = source instanceof Response ? source.url : source;
  if (typeof address !== "string" && !(address instanceof URL)) return "guest";
  const path = String(address).split(/[?#]/, 1)[0]!;
  if (/^(data|blob):/i.test(path)) return "guest";
  return (
    path
      .split("/")
      .at(-1)!
      .replace(/\.wasm$/, "") || "guest"
  );
}
