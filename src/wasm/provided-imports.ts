// What a sandbox gives to modules that import it, by name; page, worker and Node.

import { SandboxError } from "../errors.ts";

/** Functions by module. Of WASI every name is taken: what preview 1 does not have answers ENOSYS. */
const PROVIDED: Readonly<Record<string, readonly string[] | "*">> = {
  wasi_snapshot_preview1: "*",
  host: ["call"],
  subako_http: ["request", "read_response"],
  sallyport: ["load_code"],
};

/** Throws SandboxError `missing_import`, listing every import that a sandbox does not provide. */
export function checkImports(
  imports: readonly { readonly module: string; readonly name: string; readonly kind: string }[],
): void {
  const missing = imports
    .filter(({ module, name, kind }) => {
      if (kind === "memory") return false; // made to measure
      const names = Object.hasOwn(PROVIDED, module) ? PROVIDED[module] : undefined;
      return kind !== "function" || !names || (names !== "*" && !names.includes(name));
    })
    .map(({ module, name, kind }) => `${module}.${name} (${kind})`);
  if (missing.length === 0) return;
  throw new SandboxError(
    "missing_import",
    `the module imports what a sandbox does not provide: ${missing.slice(0, 8).join(", ")}` +
      (missing.length > 8 ? ` and ${missing.length - 8} more` : "") +
      `; provided are ${Object.entries(PROVIDED).map(said).join(", ")} and a memory`,
    { data: { missing } },
  );
}

function said([module, names]: [string, readonly string[] | "*"]): string {
  return names === "*" ? module : `${module} (${names.join(", ")})`;
}
