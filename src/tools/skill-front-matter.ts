// The name and description at the head of a SKILL.md: the part of YAML that such heads are written in; page, worker and Node.

/** What a document says about itself, and what follows. */
export interface FrontMatter {
  readonly name: string;
  readonly description: string;
  /** The document without its head. */
  readonly text: string;
}

/**
 * Reads a head between two lines of `---`: top-level keys with plain, quoted, folded (`>`) or literal (`|`) texts. Only
 * `name` and `description` are looked at; whatever else is there may be any YAML.
 *
 * @returns A text that says what is wrong, when something is
 */
export function readFrontMatter(document: string): FrontMatter | string {
  const parts = /^\uFEFF?---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(document);
  if (parts === null) return "a SKILL.md has no front matter between two lines of ---";
  const values = topLevel((parts[1] ?? "").split(/\r?\n/));
  const found: Record<string, string> = {};
  for (const key of ["name", "description"] as const) {
    const lines = values.get(key);
    if (lines === undefined) return `a SKILL.md has no ${key}`;
    const text = scalar(lines);
    if (text === undefined) return `a SKILL.md has a ${key} that is no plain, quoted or block text`;
    found[key] = text;
  }
  const { name = "", description = "" } = found;
  if (name === "") return "a SKILL.md has no name";
  return { name, description, text: document.slice(parts[0].length) };
}

/** The lines of each top-level key: what follows the colon, then the indented lines below. */
function topLevel(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  let open: string[] = [];
  for (const line of lines) {
    const key = /^(?:"([^"\\]+)"|'([^']+)'|([A-Za-z_][\w.-]*))[ \t]*:(?:[ \t]+(.*))?$/.exec(line);
    if (key === null) open.push(line);
    else {
      open = [key[4] ?? ""];
      values.set(key[1] ?? key[2] ?? key[3] ?? "", open);
    }
  }
  return values;
}

function scalar([first = "", ...rest]: readonly string[]): string | undefined {
  const head = first.trim();
  const block = /^([>|])([+-]?)[ \t]*(?:#.*)?$/.exec(head);
  if (block !== null) return blockText(rest, block[1] === ">", block[2] ?? "");
  const lines = [head, ...rest.map((line) => line.trim())];
  if (/^["']/.test(head)) return quoted(fold(lines));
  // Anchors, tags, aliases, lists and maps are no text.
  if (/^[&*!%@`[\]{},?]/.test(head) || head.startsWith("- ")) return undefined;
  const plain = fold(lines.map((line) => line.replace(/(^|[ \t]+)#.*$/, "")));
  return /:[ \t]/.test(plain) || plain.endsWith(":") ? undefined : plain;
}

function quoted(text: string): string | undefined {
  const single = /^'((?:[^']|'')*)'[ \t]*(?:#.*)?$/.exec(text);
  if (single !== null) return single[1]?.replaceAll("''", "'");
  const double = /^("(?:[^"\\]|\\.)*")[ \t]*(?:#.*)?$/.exec(text);
  try {
    return double === null ? undefined : (JSON.parse(double[1] ?? "") as string);
  } catch {
    return undefined;
  }
}

/** One line for each paragraph: an empty line is a line break, others are joined by blanks. */
function fold(lines: readonly string[]): string {
  return lines
    .join("\n")
    .trim()
    .replace(/\n(\n*)/g, (_all, more: string) => (more === "" ? " " : more));
}

function blockText(lines: readonly string[], folded: boolean, chomp: string): string | undefined {
  const filled = lines.filter((line) => line.trim() !== "");
  const indent = Math.min(...filled.map((line) => /^ */.exec(line)?.[0].length ?? 0));
  if (filled.length > 0 && indent === 0) return undefined;
  const text = lines.map((line) => line.slice(indent)).join("\n");
  const body = text.replace(/\n+$/, "");
  const joined = folded
    ? body.replace(
        /(\S)\n(\n*)(?=\S)/g,
        (_all, before: string, more: string) => before + (more === "" ? " " : more),
      )
    : body;
  if (chomp === "-" || joined === "") return joined;
  return chomp === "+" ? `${joined}${text.slice(body.length)}\n` : `${joined}\n`;
}
