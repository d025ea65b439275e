// Reads the files of src/ and what each of them imports, for the tests of the layers; Node.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../src", import.meta.url));

export interface Source {
  /** Path under src/, with "/". */
  readonly path: string;
  readonly room: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Every source file of the library. */
export function readSources(): Source[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => {
      const path = name.split(sep).join("/");
      const text = readFileSync(join(folder, name), "utf8");
      return { path, room: roomOf(path), text, imports: importsOf(text) };
    });
}

/** The folder below src/, or the name of a file at its top. */
export function roomOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : basename(path, ".ts");
}

/** Specifiers of all import and export statements, dynamic imports and import types. */
export function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const statement = /^[ \t]*(?:import|export)\b(?:[^"'`;=()]*?\bfrom)?\s*(["'])([^"'\n]+)\1/gm;
  const inLine = /;[ \t]*(?:import|export)\b(?:[^"'`;=()]*?\bfrom)?\s*(["'])([^"'\n]+)\1/g;
  const call = /\bimport\s*\(\s*(["'])([^"'\n]+)\1/g;
  const found = [statement, inLine, call].flatMap((shape) =>
    [...code.matchAll(shape)].map((match) => match[2] as string),
  );
  return [...new Set(found)];
}

/** Blanks comments and keeps strings; good enough for code that the formatter has laid out. */
export function withoutComments(text: string): string {
  return text.replace(token, (one) => (one.startsWith("/") ? " " : one));
}

/** Blanks comments and empties strings, so that only what runs is left (but for code inside templates). */
export function withoutTexts(text: string): string {
  return text.replace(token, (one) => (one.startsWith("/") ? " " : '""'));
}

const token =
  /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|\/\*[^]*?\*\/|\/\/[^\n]*/g;

/** The path under src/ that a relative specifier names. */
export function targetOf(path: string, specifier: string): string | null {
  if (!specifier.startsWith(".")) return null;
  return posix.normalize(posix.join(dirname(path), specifier));
}
