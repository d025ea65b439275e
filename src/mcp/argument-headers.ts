// Arguments that a server wants to see as HTTP headers (`x-mcp-header`), by MCP 2026-07-28; page and Node.

/** A property whose value goes into a header too. */
export interface HeaderArgument {
  /** The names that lead to the value. */
  readonly path: readonly string[];
  /** The whole name of the header. */
  readonly header: string;
}

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
/** Levels of a schema that are looked at; a deeper one cannot be judged anyway. */
const MOST_LEVELS = 128;

/**
 * The declarations of a schema; a text that says why they are wrong, in which case a client has to leave the tool out.
 * Only what is reached through `properties` alone may be declared.
 */
export function headerArguments(schema: unknown): readonly HeaderArgument[] | string {
  const found: HeaderArgument[] = [];
  const problem = visit(schema, [], true, found);
  if (problem !== undefined) return problem;
  const names = found.map(({ header }) => header.toLowerCase());
  return new Set(names).size === names.length ? found : `two ${KEY} have one name`;
}

function visit(
  schema: unknown,
  path: readonly string[],
  reachable: boolean,
  found: HeaderArgument[],
): string | undefined {
  if (typeof schema !== "object" || schema === null || path.length > MOST_LEVELS) return undefined;
  if (!Array.isArray(schema) && Object.hasOwn(schema, KEY)) {
    const { [KEY]: name, type } = schema as Record<string, unknown>;
    const where = path.join(".") || "the schema itself";
    if (!reachable || path.length === 0) return `${where} cannot have ${KEY}`;
    if (typeof name !== "string" || !TOKEN.test(name))
      return `${where} has a ${KEY} that is no name of a header`;
    if (!TYPES.has(type)) return `${where} has ${KEY} and is no string, integer or boolean`;
    found.push({ path, header: `Mcp-Param-${name}` });
  }
  for (const [key, member] of Object.entries(schema)) {
    if (key === "properties" && reachable && typeof member === "object" && member !== null) {
      for (const [name, property] of Object.entries(member)) {
        const problem = visit(property, [...path, name], true, found);
        if (problem !== undefined) return problem;
      }
    } else if (key !== "const" && key !== "enum" && key !== "default" && key !== "examples") {
      const problem = visit(member, [...path, key], false, found);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** The headers of a call; arguments that are absent or null have none. */
export function headersOfArguments(
  declared: readonly HeaderArgument[],
  args: unknown,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    let value = args;
    for (const name of path) {
      const inside = typeof value === "object" && value !== null && Object.hasOwn(value, name);
      value = inside ? (value as Record<string, unknown>)[name] : undefined;
    }
    const text = textOf(value);
    if (text !== undefined) headers[header] = headerValue(text);
  }
  return headers;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A value as a header can carry it: visible ASCII as it is, anything else in base64 with MCP's marks. */
function headerValue(text: string): string {
  const plain =
    /^[\x20-\x7e\t]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  if (plain) return text;
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `=?base64?${btoa(binary)}?=`;
}
