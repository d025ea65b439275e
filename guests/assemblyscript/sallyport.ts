// The AssemblyScript half of the tool protocol: call the page's tools, and HTTP, from a WASI preview 1 guest; runs in the
// guest. One file, no library. The entry file of the guest must export `host_alloc` again:
//
//     import { Call } from "./sallyport";
//     export { host_alloc } from "./sallyport";
//
//     const call = new Call("lookup_region");
//     call.key("code").string("EMEA");
//     const answer = call.send();
//     if (answer.ok) use(answer.value.text); else report(answer.kind, answer.message);
//
// AssemblyScript has no exceptions, so nothing here throws: what is not there reads as a Json of type NOTHING.

// @ts-ignore: decorator
@external("host", "call")
declare function host_call(pointer: usize, length: usize, outPointer: usize, outLength: usize): i32;

// @ts-ignore: decorator
@external("subako_http", "request")
declare function http_request(pointer: usize, length: i32): i32;

// @ts-ignore: decorator
@external("subako_http", "read_response")
declare function http_read_response(pointer: usize, length: i32): i32;

let room: usize = 0;
let roomLength: usize = 0;

/** Where the host puts an answer; the room is used again for the next one. Export it from the entry file. */
export function host_alloc(length: usize): usize {
  if (length > roomLength || room == 0) {
    room = room == 0 ? heap.alloc(length + 1) : heap.realloc(room, length + 1);
    roomLength = length;
  }
  return room;
}

/** Levels of an answer; deeper is no JSON for us. */
const DEPTH: i32 = 512;

/** What a {@link Json} is. */
export const enum JsonType {
  NOTHING,
  NULL,
  BOOLEAN,
  NUMBER,
  STRING,
  ARRAY,
  OBJECT,
  BYTES,
}

// Shared by all values that have none; nothing writes to them.
const noItems: Json[] = [];
const noKeys: string[] = [];
const noBytes = new Uint8Array(0);

/** A value of an answer. */
export class Json {
  type: JsonType;
  /** STRING: the text. NUMBER: as it was written, so that no digit is lost. */
  text: string = "";
  boolean: bool = false;
  /** ARRAY: the items. OBJECT: the values, beside `keys`. */
  items: Json[] = noItems;
  keys: string[] = noKeys;
  /** BYTES: what {"$bytes": ...} held. */
  bytes: Uint8Array = noBytes;

  constructor(type: JsonType) {
    this.type = type;
  }

  /** The member of an object (the last one of that name), or NOTHING. */
  get(key: string): Json {
    for (let i = this.keys.length - 1; i >= 0; i--) {
      if (this.keys[i] == key) return this.items[i];
    }
    return new Json(JsonType.NOTHING);
  }

  /** The item of an array, or NOTHING. */
  at(index: i32): Json {
    return index >= 0 && index < this.items.length ? this.items[index] : new Json(JsonType.NOTHING);
  }

  /** Whether `integer` is exact: a number without fraction or exponent that fits 64 bits. */
  get isInteger(): bool {
    if (this.type != JsonType.NUMBER) return false;
    const from = this.text.charCodeAt(0) == 45 ? 1 : 0;
    const digits = this.text.length - from;
    for (let i = from; i < this.text.length; i++) {
      if (this.text.charCodeAt(i) < 48 || this.text.charCodeAt(i) > 57) return false;
    }
    if (digits != 19) return digits < 19;
    return this.text.substring(from) <= (from ? "9223372036854775808" : "9223372036854775807");
  }

  get integer(): i64 {
    return this.isInteger ? I64.parseInt(this.text) : 0;
  }

  get number(): f64 {
    return this.type == JsonType.NUMBER ? F64.parseFloat(this.text) : NaN;
  }

  /** Writes it again; bytes as {"$bytes": ...}. */
  write(to: JsonWriter): void {
    switch (this.type) {
      case JsonType.BOOLEAN: {
        to.boolean(this.boolean);
        break;
      }
      case JsonType.NUMBER: {
        to.raw(this.text);
        break;
      }
      case JsonType.STRING: {
        to.string(this.text);
        break;
      }
      case JsonType.BYTES: {
        to.bytes(this.bytes);
        break;
      }
      case JsonType.ARRAY: {
        to.beginArray();
        for (let i = 0; i < this.items.length; i++) this.items[i].write(to);
        to.endArray();
        break;
      }
      case JsonType.OBJECT: {
        to.beginObject();
        for (let i = 0; i < this.items.length; i++) {
          to.key(this.keys[i]);
          this.items[i].write(to);
        }
        to.endObject();
        break;
      }
      default: {
        to.null();
      }
    }
  }
}

/** Writes compact JSON; commas are placed by themselves. */
export class JsonWriter {
  protected buffer: Uint8Array = new Uint8Array(256);
  protected length: i32 = 0;
  /** A number was not finite: JSON cannot say it, and nothing is sent. */
  failed: bool = false;

  beginObject(): this {
    this.separate();
    this.put(123);
    return this;
  }

  endObject(): this {
    this.put(125);
    return this;
  }

  beginArray(): this {
    this.separate();
    this.put(91);
    return this;
  }

  endArray(): this {
    this.put(93);
    return this;
  }

  key(name: string): this {
    this.string(name);
    this.put(58);
    return this;
  }

  string(text: string): this {
    this.separate();
    this.put(34);
    const utf8 = Uint8Array.wrap(String.UTF8.encode(text));
    for (let i = 0; i < utf8.length; i++) {
      const byte = unchecked(utf8[i]);
      if (byte < 32 || byte == 34 || byte == 92) {
        this.ascii("\\u00");
        this.ascii("0123456789abcdef".charAt(byte >> 4));
        this.ascii("0123456789abcdef".charAt(byte & 15));
      } else {
        this.put(byte);
      }
    }
    this.put(34);
    return this;
  }

  integer(value: i64): this {
    this.separate();
    this.ascii(value.toString());
    return this;
  }

  number(value: f64): this {
    if (!isFinite(value)) this.failed = true;
    this.separate();
    this.ascii(value.toString());
    return this;
  }

  boolean(value: bool): this {
    this.separate();
    this.ascii(value ? "true" : "false");
    return this;
  }

  null(): this {
    this.separate();
    this.ascii("null");
    return this;
  }

  /** {"$bytes": base64} */
  bytes(value: Uint8Array): this {
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    this.separate();
    this.ascii('{"$bytes":"');
    for (let i = 0; i < value.length; i += 3) {
      const left = value.length - i;
      let group = (<u32>value[i]) << 16;
      if (left > 1) group |= (<u32>value[i + 1]) << 8;
      if (left > 2) group |= value[i + 2];
      this.put(<u8>digits.charCodeAt(group >> 18));
      this.put(<u8>digits.charCodeAt((group >> 12) & 63));
      this.put(left > 1 ? <u8>digits.charCodeAt((group >> 6) & 63) : 61);
      this.put(left > 2 ? <u8>digits.charCodeAt(group & 63) : 61);
    }
    this.ascii('"}');
    return this;
  }

  /** A JSON value as it stands. */
  raw(json: string): this {
    this.separate();
    this.rest(json);
    return this;
  }

  toString(): string {
    return String.UTF8.decodeUnsafe(this.buffer.dataStart, this.length);
  }

  /** Text of any alphabet, without a comma before it. */
  protected rest(text: string): void {
    const utf8 = Uint8Array.wrap(String.UTF8.encode(text));
    for (let i = 0; i < utf8.length; i++) this.put(unchecked(utf8[i]));
  }

  private ascii(text: string): void {
    for (let i = 0; i < text.length; i++) this.put(<u8>text.charCodeAt(i));
  }

  private separate(): void {
    if (this.length == 0) return;
    const last = this.buffer[this.length - 1];
    if (last != 123 && last != 91 && last != 58) this.put(44);
  }

  private put(byte: u8): void {
    if (this.length == this.buffer.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.buffer);
      this.buffer = larger;
    }
    unchecked((this.buffer[this.length++] = byte));
  }
}

/** Reads strict JSON from memory; `failed` when it is none. */
class Reader {
  failed: bool = false;

  constructor(
    private at: usize,
    private end: usize,
  ) {}

  whole(): Json {
    const value = this.value(0);
    this.space();
    if (this.at != this.end) this.failed = true;
    return this.failed ? new Json(JsonType.NOTHING) : value;
  }

  private peek(): u8 {
    return this.at < this.end ? load<u8>(this.at) : 0;
  }

  private space(): void {
    while (this.at < this.end) {
      const byte = load<u8>(this.at);
      if (byte != 32 && byte != 9 && byte != 10 && byte != 13) return;
      this.at++;
    }
  }

  private take(byte: u8): bool {
    if (this.failed || this.peek() != byte) return false;
    this.at++;
    return true;
  }

  private fail(): Json {
    this.failed = true;
    return new Json(JsonType.NOTHING);
  }

  private value(depth: i32): Json {
    this.space();
    const byte = this.peek();
    if (this.failed || depth > DEPTH) return this.fail();
    if (byte == 123) return this.object(depth);
    if (byte == 91) return this.array(depth);
    if (byte == 34) {
      const string = new Json(JsonType.STRING);
      string.text = this.text();
      return string;
    }
    if (byte == 116) return this.boolean("true", true);
    if (byte == 102) return this.boolean("false", false);
    if (byte == 110) return this.word("null") ? new Json(JsonType.NULL) : this.fail();
    return this.number();
  }

  private word(text: string): bool {
    for (let i = 0; i < text.length; i++) {
      if (!this.take(<u8>text.charCodeAt(i))) return false;
    }
    return true;
  }

  private boolean(word: string, value: bool): Json {
    if (!this.word(word)) return this.fail();
    const json = new Json(JsonType.BOOLEAN);
    json.boolean = value;
    return json;
  }

  private digits(): bool {
    const first = this.at;
    while (this.peek() >= 48 && this.peek() <= 57) this.at++;
    return this.at > first;
  }

  private number(): Json {
    const start = this.at;
    this.take(45);
    const zero = this.peek() == 48;
    const first = this.at;
    if (!this.digits() || (zero && this.at - first > 1)) return this.fail();
    if (this.take(46) && !this.digits()) return this.fail();
    if (this.take(101) || this.take(69)) {
      if (!this.take(43)) this.take(45);
      if (!this.digits()) return this.fail();
    }
    const json = new Json(JsonType.NUMBER);
    json.text = String.UTF8.decodeUnsafe(start, this.at - start);
    return json;
  }

  /** A string. One without escapes is decoded as a whole, others piece by piece into UTF-16. */
  private text(): string {
    const start = ++this.at;
    let escapes = false;
    while (this.at < this.end && load<u8>(this.at) != 34) {
      if (load<u8>(this.at) < 32) this.failed = true;
      if (load<u8>(this.at) == 92) {
        escapes = true;
        this.at++;
      }
      this.at++;
    }
    if (this.at >= this.end) this.failed = true;
    if (this.failed) return "";
    const stop = this.at++;
    if (!escapes) return String.UTF8.decodeUnsafe(start, stop - start);
    return this.unescaped(start, stop);
  }

  private unescaped(start: usize, stop: usize): string {
    // No more units than bytes.
    const units = new ArrayBuffer(2 * <i32>(stop - start));
    let to = changetype<usize>(units);
    let at = start;
    while (at < stop) {
      const piece = at;
      while (at < stop && load<u8>(at) != 92) at++;
      if (at > piece) {
        const text = String.UTF8.decodeUnsafe(piece, at - piece);
        memory.copy(to, changetype<usize>(text), 2 * text.length);
        to += 2 * text.length;
      }
      if (at == stop) break;
      const unit = escapedUnit(at + 1, stop);
      if (unit < 0) this.failed = true;
      store<u16>(to, <u16>unit);
      to += 2;
      at += load<u8>(at + 1) == 117 ? 6 : 2;
    }
    return String.UTF16.decodeUnsafe(changetype<usize>(units), to - changetype<usize>(units));
  }

  private array(depth: i32): Json {
    const json = new Json(JsonType.ARRAY);
    json.items = [];
    this.at++;
    this.space();
    if (this.take(93)) return json;
    do {
      json.items.push(this.value(depth + 1));
      this.space();
    } while (this.take(44));
    return this.take(93) ? json : this.fail();
  }

  private object(depth: i32): Json {
    const json = new Json(JsonType.OBJECT);
    json.items = [];
    json.keys = [];
    this.at++;
    this.space();
    if (this.take(125)) return json;
    do {
      this.space();
      if (this.peek() != 34) return this.fail();
      json.keys.push(this.text());
      this.space();
      if (!this.take(58)) return this.fail();
      json.items.push(this.value(depth + 1));
      this.space();
    } while (this.take(44));
    if (!this.take(125)) return this.fail();
    return json.keys.length == 1 && json.keys[0] == "$bytes" ? this.bytes(json.items[0]) : json;
  }

  private bytes(encoded: Json): Json {
    const text = encoded.text;
    if (encoded.type != JsonType.STRING || text.length % 4 != 0) return this.fail();
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    const json = new Json(JsonType.BYTES);
    json.bytes = new Uint8Array((text.length / 4) * 3 - padding);
    for (let i = 0, to = 0; i < text.length; i += 4) {
      let group: u32 = 0;
      for (let j = i; j < i + 4; j++) {
        const digit = j >= text.length - padding ? 0 : base64Digit(text.charCodeAt(j));
        if (digit < 0) return this.fail();
        group = (group << 6) | digit;
      }
      for (let shift = 16; shift >= 0 && to < json.bytes.length; shift -= 8) {
        json.bytes[to++] = <u8>(group >> shift);
      }
    }
    return json;
  }
}

/** The code unit behind a backslash, or -1. A surrogate pair comes as two of these. */
function escapedUnit(at: usize, end: usize): i32 {
  const byte = load<u8>(at);
  if (byte == 34 || byte == 92 || byte == 47) return byte;
  if (byte == 98) return 8;
  if (byte == 102) return 12;
  if (byte == 110) return 10;
  if (byte == 114) return 13;
  if (byte == 116) return 9;
  if (byte != 117 || end - at < 5) return -1;
  let unit: i32 = 0;
  for (let i: usize = 1; i <= 4; i++) {
    const digit = hexDigit(load<u8>(at + i));
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(byte: u8): i32 {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

function base64Digit(code: i32): i32 {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  return code == 43 ? 62 : code == 47 ? 63 : -1;
}

/** Reads a JSON text; NOTHING when it is none. */
export function readJson(text: string): Json {
  const utf8 = String.UTF8.encode(text);
  const start = changetype<usize>(utf8);
  return new Reader(start, start + utf8.byteLength).whole();
}

/** What came of a call. */
export class Answer {
  ok: bool = false;
  /** ok: the result. */
  value: Json = new Json(JsonType.NOTHING);
  /** Not ok: a kind of the protocol, or "no_host", "no_answer" (the host failed), "not_sent". */
  kind: string = "";
  message: string = "";
}

function failure(kind: string, message: string): Answer {
  const answer = new Answer();
  answer.kind = kind;
  answer.message = message;
  return answer;
}

let lastId: i64 = 0;

/** A call of a tool: write its arguments as key and value, then send it. */
export class Call extends JsonWriter {
  constructor(tool: string) {
    super();
    begin(this, "call");
    this.key("tool").string(tool).key("args").beginObject();
  }

  /** A call whose arguments are a JSON object already. */
  static withJson(tool: string, args: string): Call {
    const call = new Call(tool);
    const object = readJson(args);
    if (object.type != JsonType.OBJECT) call.failed = true;
    for (let i = 0; i < object.items.length; i++) {
      call.key(object.keys[i]);
      object.items[i].write(call);
    }
    return call;
  }

  send(): Answer {
    this.endObject();
    return exchange(this, "value");
  }
}

/** Asks for the tools: `value` is the array of descriptors. */
export function listTools(): Answer {
  const frame = new JsonWriter();
  begin(frame, "list");
  return exchange(frame, "tools");
}

function begin(frame: JsonWriter, operation: string): void {
  frame.beginObject().key("v").integer(1).key("id").integer(++lastId).key("op").string(operation);
}

function exchange(frame: JsonWriter, member: string): Answer {
  frame.endObject();
  if (frame.failed) return failure("not_sent", "the frame is no JSON");
  const request = String.UTF8.encode(frame.toString());
  // The host writes the answer's place and length here.
  const words = new StaticArray<u32>(2);
  const out = changetype<usize>(words);
  const code = host_call(changetype<usize>(request), request.byteLength, out, out + 4);
  if (code == -1) return failure("no_host", "no host answers");
  if (code != 0) return failure("no_answer", "the host failed");
  const start: usize = words[0];
  return judge(new Reader(start, start + words[1]).whole(), member);
}

function judge(json: Json, member: string): Answer {
  const version = json.get("v");
  const id = json.get("id");
  const ok = json.get("ok");
  const error = json.get("error");
  if (!version.isInteger || version.integer != 1) {
    return failure("protocol", "the answer is no object of version 1");
  }
  const isOk = ok.type == JsonType.BOOLEAN && ok.boolean;
  const isFailure = ok.type == JsonType.BOOLEAN && !ok.boolean;
  // A frame that the host could not read is answered with the id null.
  if (!(id.isInteger && id.integer == lastId) && !(isFailure && id.type == JsonType.NULL)) {
    return failure("protocol", "the answer is to another frame");
  }
  const kind = error.get("kind");
  const message = error.get("message");
  if (isFailure && kind.type == JsonType.STRING && message.type == JsonType.STRING) {
    return failure(kind.text, message.text);
  }
  const answer = new Answer();
  answer.value = json.get(member);
  answer.ok = isOk && answer.value.type != JsonType.NOTHING;
  return answer.ok ? answer : failure("protocol", "the answer has neither a result nor an error");
}

/**
 * Sends an HTTP request document, such as {"url": "https://..."}, and blocks. The result has "ok" or "error"; it is NOTHING
 * when the request could not be handed over.
 */
export function httpRequest(document: JsonWriter): Json {
  const request = String.UTF8.encode(document.toString());
  const length = http_request(changetype<usize>(request), request.byteLength);
  if (length < 0) return new Json(JsonType.NOTHING);
  const answer = new ArrayBuffer(length);
  const start = changetype<usize>(answer);
  if (http_read_response(start, length) != 0) return new Json(JsonType.NOTHING);
  return new Reader(start, start + length).whole();
}
