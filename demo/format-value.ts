// Shows any value of a tool call as one line of text of bounded length, the way the Python program sees it; page.

/** Text that ends in "…" when it would be longer than `limit` characters. Costs no more than that, however large the value. */
export function formatValue(value: unknown, limit: number): string {
  const writer = new BoundedText(limit);
  write(writer, value, 0);
  return writer.text();
}

/** A call as Python would write it: `light_lamp(x=1, y=2)`. */
export function formatCall(name: string, args: unknown, limit: number): string {
  const writer = new BoundedText(limit);
  writer.add(`${name}(`);
  writeMembers(writer, args, "=", (key) => key, 0);
  writer.add(")");
  return writer.text();
}

const DEEPEST = 64;

class BoundedText {
  private readonly limit: number;
  private readonly parts: string[] = [];
  private length = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get full(): boolean {
    return this.length > this.limit;
  }

  add(text: string): void {
    if (this.full) return;
    this.parts.push(text.slice(0, this.limit + 1));
    this.length += text.length;
  }

  text(): string {
    const all = this.parts.join("");
    return this.full ? `${all.slice(0, this.limit - 1)}…` : all;
  }
}

function write(writer: BoundedText, value: unknown, depth: number): void {
  if (writer.full) return;
  if (value === null || value === undefined) writer.add("None");
  else if (typeof value === "boolean") writer.add(value ? "True" : "False");
  else if (value instanceof Uint8Array)
    writer.add(`<${value.byteLength.toLocaleString("en")} bytes>`);
  else if (typeof value === "string") writer.add(JSON.stringify(value.slice(0, 20_000)));
  else if (typeof value === "number" || typeof value === "bigint") writer.add(String(value));
  else if (typeof value !== "object") writer.add(`<${typeof value}>`);
  else if (depth > DEEPEST) writer.add("…");
  else if (Array.isArray(value)) writeItems(writer, value, depth);
  else {
    writer.add("{");
    writeMembers(writer, value, ": ", (key) => JSON.stringify(key), depth);
    writer.add("}");
  }
}

function writeItems(writer: BoundedText, items: readonly unknown[], depth: number): void {
  writer.add("[");
  for (const [index, item] of items.entries()) {
    if (writer.full) return;
    if (index > 0) writer.add(", ");
    write(writer, item, depth + 1);
  }
  writer.add("]");
}

function writeMembers(
  writer: BoundedText,
  value: unknown,
  between: string,
  key: (name: string) => string,
  depth: number,
): void {
  if (typeof value !== "object" || value === null) return;
  let first = true;
  for (const [name, member] of Object.entries(value)) {
    if (writer.full) return;
    writer.add(`${first ? "" : ", "}${key(name)}${between}`);
    write(writer, member, depth + 1);
    first = false;
  }
}
