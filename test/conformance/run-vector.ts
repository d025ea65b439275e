// Runs one conformance vector of the tool protocol against a host in JavaScript; Node and pages, no other imports.

/** Text, or pieces of text and how often each is repeated: `{ "parts": [["a", 1000], ["b", 1]] }`. */
export type LongText = string | { readonly parts: readonly (readonly [string, number])[] };

/** Bytes of a request: text in UTF-8, base64, or only a length, for a request that was too long to be copied. */
export type VectorRequest = LongText | { readonly base64: string } | { readonly length: number };

/** What a vector's tool does when it is called. */
export interface VectorBehaviour {
  readonly return?: unknown;
  /** Like `return`, as JSON text of the protocol: exact integers, `$bytes`. */
  readonly returnJson?: string;
  readonly returnText?: readonly [string, number];
  readonly returnBytes?: number;
  readonly returnNotJson?: true;
  readonly returnNaN?: true;
  readonly echo?: true;
  readonly never?: true;
  readonly raise?: "ToolError" | "ToolDenied" | "other";
  readonly kind?: string;
  readonly message?: LongText;
}

/** A tool as a vector describes it. */
export interface VectorTool {
  readonly name: string;
  readonly description: string;
  readonly does: VectorBehaviour;
  readonly [option: string]: unknown;
}

/** One vector; README.md beside the vectors says what each field means. */
export interface Vector {
  readonly name: string;
  readonly source: string;
  readonly tools: readonly VectorTool[];
  readonly gate?: VectorBehaviour & { readonly pass?: true };
  readonly door?: {
    readonly budget?: { frames?: number; bytes?: number };
    readonly timeoutMs?: number;
  };
  readonly before?: readonly (
    | VectorRequest
    | { readonly repeat: VectorRequest; readonly times: number }
  )[];
  readonly cancel?: "before" | "during";
  readonly request?: VectorRequest;
  /** A JSON value, or JSON text where the spelling of numbers matters. */
  readonly answer?: unknown;
  readonly message?: {
    readonly is?: LongText;
    readonly has?: readonly string[];
    readonly hasNot?: readonly string[];
  };
  readonly refused?: { readonly path?: string; readonly keyword?: string };
}

/** What a host in JavaScript must offer to be tried. */
export interface VectorHost {
  // oxlint-disable-next-line typescript/no-explicit-any -- a vector's tools are data, and some of them are wrong on purpose
  readonly tool: (definition: any) => any;
  readonly createToolDoor: (
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    tools: any[],
    options: object,
  ) => {
    call(request: Uint8Array): Promise<Uint8Array>;
    tooLarge(length: number): Promise<Uint8Array>;
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- the kinds come from the vector
  readonly ToolError: new (message?: string, kind?: any) => Error;
  readonly ToolDenied: new (message?: string) => Error;
}

/**
 * Runs a vector.
 *
 * @returns What is wrong, a line each; none when the host does as the vector says.
 */
export async function runVector(host: VectorHost, vector: Vector): Promise<string[]> {
  return vector.refused === undefined ? runAnswered(host, vector) : runRefused(host, vector);
}

function runRefused(host: VectorHost, vector: Vector): string[] {
  try {
    makeDoor(host, vector, undefined);
  } catch (error) {
    const { code, data, message } = error as { code?: string; data?: object; message?: string };
    const found = (data ?? {}) as { path?: string; keyword?: string };
    const problems = code === "bad_tool" ? [] : [`refused with ${String(error)}`];
    for (const key of ["path", "keyword"] as const) {
      const wanted = vector.refused?.[key];
      if (wanted === undefined) continue;
      if (found[key] !== wanted) problems.push(`refused for ${key} ${found[key]}, not ${wanted}`);
      if (!message?.includes(wanted)) problems.push(`"${message}" does not name ${wanted}`);
    }
    return problems;
  }
  return ["the tools were not refused"];
}

async function runAnswered(host: VectorHost, vector: Vector): Promise<string[]> {
  const cancel = new AbortController();
  const door = makeDoor(host, vector, cancel.signal);
  for (const step of vector.before ?? []) {
    const repeated = typeof step === "object" && "repeat" in step;
    const request = repeated ? step.repeat : step;
    for (let i = 0; i < (repeated ? step.times : 1); i++) await send(door, request);
  }
  if (vector.cancel === "before") cancel.abort();
  const answer = send(door, vector.request ?? "");
  if (vector.cancel === "during") setTimeout(() => cancel.abort(), 5);
  return judge(vector, await answer);
}

type Door = ReturnType<VectorHost["createToolDoor"]>;

function makeDoor(host: VectorHost, vector: Vector, signal: AbortSignal | undefined): Door {
  const tools = vector.tools.map(({ does, ...definition }) =>
    host.tool({ ...definition, execute: (args: unknown) => behave(host, does, args) }),
  );
  const { gate } = vector;
  return host.createToolDoor(tools, {
    ...vector.door,
    ...(signal === undefined ? {} : { signal }),
    ...(gate === undefined ? {} : { gate: async () => void (await behave(host, gate, undefined)) }),
  });
}

async function behave(host: VectorHost, does: VectorBehaviour, args: unknown): Promise<unknown> {
  if (does.raise !== undefined) {
    const message = longText(does.message ?? "");
    if (does.raise === "ToolDenied") throw new host.ToolDenied(message);
    if (does.raise === "ToolError") throw new host.ToolError(message, does.kind);
    throw new TypeError(message);
  }
  if (does.never) return new Promise(() => {});
  if (does.echo) return args;
  if (does.returnText !== undefined) return does.returnText[0].repeat(does.returnText[1]);
  if (does.returnBytes !== undefined) return new Uint8Array(does.returnBytes);
  if (does.returnNotJson) return { inside: [() => {}] };
  if (does.returnNaN) return Number.NaN;
  return does.returnJson === undefined ? does.return : fromTagged(tagged(does.returnJson));
}

function send(door: Door, request: VectorRequest): Promise<Uint8Array> {
  if (typeof request === "object" && "length" in request) return door.tooLarge(request.length);
  if (typeof request === "object" && "base64" in request) {
    return door.call(Uint8Array.from(atob(request.base64), (char) => char.charCodeAt(0)));
  }
  return door.call(new TextEncoder().encode(longText(request)));
}

function longText(text: LongText): string {
  if (typeof text === "string") return text;
  return text.parts.map(([piece, count]) => piece.repeat(count)).join("");
}

function judge(vector: Vector, answer: Uint8Array): string[] {
  const beyond = answer.findIndex((byte) => byte > 0x7f || byte < 0x20);
  if (beyond !== -1) return [`byte ${beyond} of the answer is ${answer[beyond]}, not plain ASCII`];
  const text = new TextDecoder().decode(answer);
  const wanted = wantedText(vector.answer);
  if (text === wanted) return [];
  const got = tagged(text);
  const problems = text.length > 1e6 || isCompact(text) ? [] : ["the answer is not compact JSON"];
  const message = takeMessage(got);
  if (message !== undefined) problems.push(...judgeMessage(vector.message ?? {}, message));
  if (!same(got, tagged(wanted))) {
    problems.push(`answered ${text.slice(0, 300)}, not ${wanted.slice(0, 300)}`);
  }
  return problems;
}

function wantedText(answer: unknown): string {
  if (typeof answer === "string") return answer;
  if (typeof answer === "object" && answer !== null && "parts" in answer) {
    return longText(answer as LongText);
  }
  return JSON.stringify(answer);
}

function judgeMessage(wanted: NonNullable<Vector["message"]>, message: string): string[] {
  const problems: string[] = [];
  if (message === "") problems.push("the message is empty");
  if ([...message].length > 4096) problems.push("the message is longer than 4,096 characters");
  if (wanted.is !== undefined && message !== longText(wanted.is)) {
    problems.push(`the message is ${JSON.stringify(message.slice(0, 200))}`);
  }
  for (const part of wanted.has ?? []) {
    if (!message.includes(part)) problems.push(`"${message.slice(0, 300)}" does not say ${part}`);
  }
  for (const part of wanted.hasNot ?? []) {
    if (message.includes(part)) problems.push(`"${message.slice(0, 300)}" says ${part}`);
  }
  return problems;
}

/** Takes the message out of a failure, since vectors do not say its words. */
function takeMessage(answer: unknown): string | undefined {
  const error = (answer as { error?: { message?: unknown } } | null)?.error;
  const message = error?.message;
  if (error === undefined || typeof message !== "string") return undefined;
  delete error.message;
  return message;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[[\]{},:]|true|false|null|\s+/gy;

function isCompact(text: string): boolean {
  const tokens = text.match(TOKEN) ?? [];
  return tokens.join("") === text && !tokens.some((token) => /^\s/.test(token));
}

/** A number as text. */
interface Written {
  readonly written: string;
}

/** JSON with each number as text, so that 5 and 5.0 differ and no digit is lost; 1e300 and 1e+300 are the same. */
function tagged(text: string): unknown {
  if (text.length > 1e6) return JSON.parse(text);
  const numbers = text.replaceAll(TOKEN, (token) => {
    if (!/^[-0-9]/.test(token)) return token;
    const written = /^-?[0-9]+$/.test(token) ? token : `${Number(token)} (float)`;
    return `{"written":${JSON.stringify(written)}}`;
  });
  return JSON.parse(numbers);
}

/** The JavaScript value that a tool returns for JSON of the protocol. */
function fromTagged(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromTagged);
  const { written } = value as Partial<Written>;
  if (written !== undefined) {
    return /^-?[0-9]+$/.test(written) ? BigInt(written) : Number.parseFloat(written);
  }
  const bytes = (value as { $bytes?: string }).$bytes;
  if (bytes !== undefined) return Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fromTagged(member)]),
  );
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) &&
        same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
