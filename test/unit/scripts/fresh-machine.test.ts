// What npm start and npm test may count on before anything is installed: Node 20 and its built-ins; Node.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCommand } from "../../../scripts/run-command.mjs";

const scripts = fileURLToPath(new URL("../../../scripts", import.meta.url));

/** All that a script imports by statements, through the files it imports, as [file, specifier]. */
function staticImports(file: string, seen = new Set<string>()): [string, string][] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, "utf8");
  const statements = [...text.matchAll(/^(?:import|export)\b[^"'()]*["']([^"']+)["'];/gm)];
  return statements.flatMap(([, name = ""]) => [
    [file, name] as [string, string],
    ...(name.startsWith(".") ? staticImports(join(dirname(file), name), seen) : []),
  ]);
}

test.each(["start", "test", "build", "check", "bench"])(
  "%s.mjs imports only Node's own modules, and checks Node's version first",
  (name) => {
    const imports = staticImports(join(scripts, `${name}.mjs`));
    const strangers = imports.filter(
      ([, one]) => !one.startsWith("./") && !one.startsWith("node:"),
    );
    expect(strangers).toEqual([]);
    expect(imports[0]?.[1]).toBe("./require-node.mjs");
  },
);

test("an old Node is told so in one sentence, before anything runs", async () => {
  const older = `Object.defineProperty(process, "versions", { value: { node: "18.20.0" } });`;
  const args = ["--import", `data:text/javascript,${older}`, join(scripts, "start.mjs")];
  const result = await runCommand(process.execPath, args, { timeoutMs: 10_000, capture: true });
  expect(result).toMatchObject({ ok: false, code: 1 });
  expect(result.output.trim()).toMatch(
    /^Sallyport needs Node 20 or newer; this is Node 18\.20\.0 .*$/,
  );
});
