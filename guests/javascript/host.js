// The JavaScript half of the tool protocol: call the page's tools, and HTTP, through the device files; runs in a QuickJS
// guest (anything with QuickJS's module `std`).
//
//     import { tools, ToolError } from "/lib/sallyport/javascript/host.js";
//     print(tools.lookup_region({ code: "EMEA" }));
//
// A call takes one object and blocks until the page has answered. Bytes are Uint8Array, both ways; an integer beyond
// 2 ** 53 arrives as a bigint, and a bigint is sent as an integer. Object.keys(tools) lists the tools.
import * as std from "std";

/** A call failed: `kind` says how, `message` is what the host chose to say. */
export class ToolError extends Error {
  static kind = "tool_error";

  constructor(message, kind = new.target.kind) {
    super(message);
    this.name = new.target.name;
    this.kind = kind;
  }
}
/** The frame broke a rule, or the answer does not match. */
export class ToolProtocolError extends ToolError {
  static kind = "protocol";
}
/** There is no such tool ("unknown_tool"), or the arguments do not fit its schema ("invalid_arguments"). */
export class ToolArgumentError extends ToolError {
  static kind = "invalid_arguments";
}
/** The page, or the tool, refused. */
export class ToolDenied extends ToolError {
  static kind = "denied";
}
/** The call ran out of time. */
export class ToolTimeout extends ToolError {
  static kind = "timeout";
}
/** The run was cancelled during the call; the guest is stopped soon after. */
export class ToolCancelled extends ToolError {
  static kind = "cancelled";
}
/** The request was over 1 MiB, or the answer over 16 MiB. */
export class ToolTooLarge extends ToolError {
  static kind = "too_large";
}
/** The run has used up its calls, or the bytes that it may send. */
export class ToolBudgetExceeded extends ToolError {
  static kind = "budget_exceeded";
}

const classes = new Map([["unknown_tool", ToolArgumentError]]);
for (const one of [
  ToolError,
  ToolProtocolError,
  ToolArgumentError,
  ToolDenied,
  ToolTimeout,
  ToolCancelled,
  ToolTooLarge,
  ToolBudgetExceeded,
]) {
  classes.set(one.kind, one);
}

/** A device file: one line out, one line back. It stays open until something goes wrong. */
class Device {
  constructor(path) {
    this.path = path;
  }

  call(line) {
    const file = (this.file ??= std.open(this.path, "r+"));
    this.file = undefined;
    if (file === null) throw new ToolProtocolError(`no host answers: there is no ${this.path}`);
    file.puts(`${line}\n`);
    file.flush();
    const answer = file.getline();
    if (answer === null) {
      file.close();
      throw new ToolProtocolError(`the host does not answer: ${this.path} gave nothing`);
    }
    this.file = file;
    return answer;
  }
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += DIGITS[group >> 18] + DIGITS[(group >> 12) & 63];
    text += i + 1 < bytes.length ? DIGITS[(group >> 6) & 63] : "=";
    text += i + 2 < bytes.length ? DIGITS[group & 63] : "=";
  }
  return text;
}

const SEXTETS = new Map([...DIGITS].map((digit, value) => [digit, value]));

function fromBase64(text) {
  const padding = String(text).endsWith("==") ? 2 : String(text).endsWith("=") ? 1 : 0;
  if (typeof text !== "string" || text.length % 4 !== 0) throw new Error("$bytes is no base64");
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, to = 0; i < text.length; i += 4) {
    let group = 0;
    for (let j = i; j < i + 4; j++) {
      const sextet = j < text.length - padding ? SEXTETS.get(text[j]) : 0;
      if (sextet === undefined) throw new Error("$bytes is no base64");
      group = (group << 6) | sextet;
    }
    for (let shift = 16; shift >= 0 && to < bytes.length; shift -= 8) bytes[to++] = group >> shift;
  }
  return bytes;
}

/** JSON.stringify with bytes and bigints, and an error for what has no JSON. 62 levels are left for arguments. */
function encode(value, depth = 0) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === "number") throw new ToolProtocolError(`${value} is no JSON`);
  if (typeof value !== "object") {
    throw new ToolArgumentError(`a ${typeof value} cannot be sent to the host`);
  }
  if (depth > 62) throw new ToolProtocolError("the arguments are nested more than 62 levels deep");
  if (value instanceof ArrayBuffer) value = new Uint8Array(value);
  if (value instanceof Uint8Array) return `{"$bytes":"${toBase64(value)}"}`;
  if (typeof value.toJSON === "function") return encode(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, depth + 1)).join(",")}]`;
  const members = Object.keys(value).filter((key) => value[key] !== undefined);
  const texts = members.map((key) => `${JSON.stringify(key)}:${encode(value[key], depth + 1)}`);
  return `{${texts.join(",")}}`;
}

/** The text with each integer of 16 digits or more put into an object of one key, outside of strings. */
function wrapLongIntegers(text, key) {
  let inString = false;
  // One token at a time, so that no regular expression has to remember a long string.
  return text.replace(/\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    if (token === '"') inString = !inString;
    return !inString && /^-?\d{16}\d*$/.test(token) ? `{"${key}":"${token}"}` : token;
  });
}

/** JSON.parse with bytes, and bigints where a double would lose digits. */
function decode(text) {
  let key = "$integer";
  while (text.includes(key)) key += "$";
  return JSON.parse(/\d{16}/.test(text) ? wrapLongIntegers(text, key) : text, (_, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const keys = Object.keys(value);
    if (keys.length !== 1) return value;
    if (keys[0] === "$bytes") return fromBase64(value.$bytes);
    if (keys[0] !== key) return value;
    const number = Number(value[key]);
    return Number.isSafeInteger(number) ? number : BigInt(value[key]);
  });
}

const door = new Device(std.getenv("HOST_DOOR") || "/dev/door");
let lastId = 0;

function ask(operation, member) {
  const id = ++lastId;
  const line = door.call(`{"v":1,"id":${id},${operation}}`);
  let answer;
  try {
    answer = decode(line);
  } catch (error) {
    throw new ToolProtocolError(`the answer cannot be read: ${error.message}`);
  }
  if (typeof answer !== "object" || answer === null || answer.v !== 1) {
    throw new ToolProtocolError("the answer is no object of version 1");
  }
  const { ok, error } = answer;
  // A frame that the host could not read is answered with the id null.
  if (answer.id !== id && !(ok === false && answer.id === null)) {
    throw new ToolProtocolError("the answer is to another frame");
  }
  if (ok === true && member in answer) return answer[member];
  if (ok === false && typeof error?.kind === "string" && typeof error.message === "string") {
    throw new (classes.get(error.kind) ?? ToolError)(error.message, error.kind);
  }
  throw new ToolProtocolError("the answer has neither a result nor an error");
}

let functions;

/** The tools as functions; the host is asked when one is first wanted. */
function discover() {
  if (functions === undefined) {
    const found = Object.create(null);
    for (const { name } of ask('"op":"list"', "tools")) {
      const call = (args = {}) => {
        if (typeof args !== "object" || args === null || Array.isArray(args)) {
          throw new ToolArgumentError(`${name} takes one object, such as ${name}({ key: value })`);
        }
        return ask(`"op":"call","tool":${JSON.stringify(name)},"args":${encode(args)}`, "value");
      };
      found[name] = Object.defineProperty(call, "name", { value: name });
    }
    functions = found;
  }
  return functions;
}

/** The page's tools. Reading a tool that is not there is a ToolArgumentError that names those that are. */
export const tools = new Proxy(Object.create(null), {
  get(_, name) {
    if (typeof name !== "string") return undefined;
    const found = discover();
    if (name in found) return found[name];
    // What printing, awaiting or serialising an object looks for.
    if (name === "then" || name === "toJSON" || name in Object.prototype) return undefined;
    const known = Object.keys(found).join(", ") || "none";
    throw new ToolArgumentError(
      `the host has no tool "${name}" (its tools: ${known})`,
      "unknown_tool",
    );
  },
  has: (_, name) => name in discover(),
  ownKeys: () => Object.keys(discover()),
  getOwnPropertyDescriptor(_, name) {
    const value = discover()[name];
    return value && { value, enumerable: true, configurable: true, writable: false };
  },
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
});

/** An HTTP request was not made, or not finished: `kind` says why. */
export class HttpError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = "HttpError";
    this.kind = kind;
  }
}

const httpDevice = new Device(std.getenv("HOST_HTTP") || "/dev/http");

/**
 * Sends an HTTP request through the page, such as `http({ url: "https://api.example.com/", method: "POST",
 * body: { type: "json", json: { order: 1042 } } })`, and returns `{ status, headers, body: { type, text } }`.
 */
export function http(request) {
  let answer;
  try {
    answer = JSON.parse(httpDevice.call(JSON.stringify(request)));
  } catch (error) {
    throw new HttpError("abi", error.message);
  }
  if (answer?.ok) return answer.ok;
  throw new HttpError(answer?.error?.kind ?? "abi", answer?.error?.message ?? "no answer");
}
