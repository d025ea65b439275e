// Takes the binary modules out of WebAssembly's own test scripts (.wast), with what is said of them; Node.

/** A module in binary form. `malformed` is the reason when the script says that it must not decode. */
export interface BinaryModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly malformed?: string;
}

/** Every `(module binary …)` of a script, and every one inside `(assert_malformed … "reason")`. */
export function binaryModules(script: string): BinaryModule[] {
  return topForms(script).flatMap((form) => {
    const asserted = /^\(assert_malformed\s*\(module\s+(?:\$\S+\s+)?binary/.test(form);
    if (!asserted && !/^\(module\s+(?:\$\S+\s+)?binary/.test(form)) return [];
    const strings = [...form.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, text = ""]) => text);
    const malformed = asserted ? strings.pop() : undefined;
    return [
      { bytes: bytesOf(strings.join("")), ...(malformed === undefined ? {} : { malformed }) },
    ];
  });
}

/** The parenthesized forms at the top, their comments taken out. */
function topForms(script: string): string[] {
  const forms: string[] = [];
  let depth = 0;
  let form = "";
  for (const [token] of script.matchAll(
    /;;[^\n]*|\(;[^]*?;\)|"(?:[^"\\]|\\.)*"|[()]|[^()";]+|;/gs,
  )) {
    if (token.startsWith(";;") || token.startsWith("(;")) continue;
    if (token === "(") depth++;
    if (depth > 0) form += token;
    if (token !== ")" || --depth > 0) continue;
    forms.push(form);
    form = "";
  }
  return forms;
}

const NAMED: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, '"': 34, "'": 39, "\\": 92 };

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const [token, hex, named] of text.matchAll(/\\([0-9a-fA-F]{2})|\\(.)|[^\\]/gs)) {
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (named !== undefined) bytes.push(NAMED[named] ?? 0);
    else bytes.push(...new TextEncoder().encode(token));
  }
  return Uint8Array.from(bytes);
}
