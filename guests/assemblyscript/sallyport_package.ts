// The AssemblyScript kit for function packages (ABI 1): a list of tools, serve(), and text files; runs in the guest.
// One file beside sallyport.ts, no library.
//
//     import { serve, Tool, ToolResult } from "./sallyport_package";
//     import { Json } from "./sallyport";
//
//     function greet(args: Json, result: ToolResult): void {
//       const name = args.get("name").text;
//       if (name == "") result.fail("name must not be empty");
//       else result.addText("Hello, " + name + "!");
//     }
//     serve([new Tool("greet", "Greet someone by name.", '{"type":"object"}', greet)]);
//
// Compile with the WASI shim: asc main.ts --config ./node_modules/@assemblyscript/wasi-shim/asconfig.json
// --exportStart _start. Print nothing on stdout yourself: it is the protocol's. Logs go to stderr (console.error).
import { Json, JsonType, JsonWriter, readJson } from "./sallyport";

/** Does a call: reads its arguments, fills its result. */
export type ToolFunction = (args: Json, result: ToolResult) => void;

/** A tool of the package. Schemas are JSON text, `"type":"object"` at the top of the first. */
export class Tool {
  constructor(
    public name: string,
    public description: string,
    public inputSchema: string,
    public call: ToolFunction,
    public outputSchema: string = "",
  ) {}
}

/** What a call comes to: blocks in their order, and a structured value. */
export class ToolResult {
  content: JsonWriter = new JsonWriter().beginArray();
  /** A JSON value; empty for none. */
  structured: string = "";
  failed: bool = false;

  addText(text: string): void {
    this.content.beginObject().key("type").string("text").key("text").string(text).endObject();
  }

  /** A link; for a file beneath /volume give its path, such as "/volume/tmp/chart.png". */
  addLink(pathOrUri: string, name: string): void {
    const uri = pathOrUri.startsWith("/volume/") ? volumeUri(pathOrUri) : pathOrUri;
    this.content.beginObject().key("type").string("resource_link").key("uri").string(uri);
    this.content.key("name").string(name).endObject();
  }

  /** A failure that the model should read. */
  fail(text: string): void {
    this.addText(text);
    this.failed = true;
  }
}

/** Each segment percent-encoded, so that the address names this file and no other. */
function volumeUri(path: string): string {
  return "volume:///" + encodeURI(path.substr(8)).replaceAll("?", "%3F").replaceAll("#", "%23");
}

/** Answers requests until stdin ends; then the module may return. */
export function serve(tools: Tool[]): void {
  let rest = new Uint8Array(0);
  for (;;) {
    const chunk = read(0);
    if (chunk.length == 0) return;
    const bytes = join(rest, chunk);
    let from = 0;
    // Whole lines are answered at once: the next one comes only after its answer.
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      if (end > from) answer(String.UTF8.decodeUnsafe(bytes.dataStart + from, end - from), tools);
      from = end + 1;
    }
    rest = bytes.slice(from);
  }
}

function answer(line: string, tools: Tool[]): void {
  const request = readJson(line);
  if (request.type != JsonType.OBJECT) return sendError("null", -32700, "the line is no JSON object");
  const id = request.get("id");
  if (id.type == JsonType.NOTHING) return; // a notification
  const echo = new JsonWriter();
  id.write(echo);
  const method = request.get("method").text;
  if (method == "server/discover") {
    const about = '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}';
    send(echo.toString(), '"result":{"resultType":"complete",' + about + "}");
  } else if (method == "tools/list") {
    send(echo.toString(), '"result":' + listing(tools));
  } else if (method == "tools/call") {
    callTool(echo.toString(), request.get("params"), tools);
  } else {
    sendError(echo.toString(), -32601, "there is no such method");
  }
}

function listing(tools: Tool[]): string {
  const to = new JsonWriter().beginObject().key("resultType").string("complete");
  to.key("tools").beginArray();
  for (let i = 0; i < tools.length; i++) {
    const tool = tools[i];
    to.beginObject().key("name").string(tool.name).key("description").string(tool.description);
    to.key("inputSchema").raw(tool.inputSchema);
    if (tool.outputSchema != "") to.key("outputSchema").raw(tool.outputSchema);
    to.endObject();
  }
  // A client may keep the list for a day: what a module offers only changes with the module.
  to.endArray().key("ttlMs").integer(86400000).key("cacheScope").string("public");
  return to.endObject().toString();
}

function callTool(id: string, params: Json, tools: Tool[]): void {
  const name = params.get("name").text;
  for (let i = 0; i < tools.length; i++) {
    if (tools[i].name != name) continue;
    const result = new ToolResult();
    tools[i].call(params.get("arguments"), result);
    const to = new JsonWriter().beginObject().key("resultType").string("complete");
    to.key("content").raw(result.content.endArray().toString());
    if (result.structured != "") to.key("structuredContent").raw(result.structured);
    if (result.failed) to.key("isError").boolean(true);
    return send(id, '"result":' + to.endObject().toString());
  }
  sendError(id, -32602, "there is no such tool");
}

function sendError(id: string, code: i32, message: string): void {
  const error = new JsonWriter().beginObject().key("code").integer(code).key("message");
  send(id, '"error":' + error.string(message).endObject().toString());
}

function send(id: string, member: string): void {
  writeAll(1, Uint8Array.wrap(String.UTF8.encode('{"jsonrpc":"2.0","id":' + id + "," + member + "}\n")));
}

// ---- Files, by WASI alone.

// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_read")
declare function fd_read(fd: u32, iovs: usize, count: usize, read: usize): u16;
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_write")
declare function fd_write(fd: u32, iovs: usize, count: usize, written: usize): u16;
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_close")
declare function fd_close(fd: u32): u16;
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_prestat_get")
declare function fd_prestat_get(fd: u32, to: usize): u16;
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_prestat_dir_name")
declare function fd_prestat_dir_name(fd: u32, to: usize, length: usize): u16;
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "path_open")
declare function path_open(
  folder: u32, lookup: u32, path: usize, length: usize, flags: u16, rights: u64, inheriting: u64, mode: u16, to: usize,
): u16;

const CREATE_AND_TRUNCATE: u16 = 1 | 8;
const MAY_READ: u64 = 1 << 1;
const MAY_WRITE: u64 = 1 << 6;
const CHUNK = 65536;
/** A vector, and a word for what a call gives. */
const scratch = new ArrayBuffer(16);

/** The text of a file, by its absolute path; null when it cannot be read. */
export function readText(path: string): string | null {
  const fd = open(path, 0, MAY_READ);
  if (fd == 0) return null;
  let bytes = new Uint8Array(0);
  for (;;) {
    const chunk = read(fd);
    if (chunk.length == 0) break;
    bytes = join(bytes, chunk);
  }
  fd_close(fd);
  return String.UTF8.decodeUnsafe(bytes.dataStart, bytes.length);
}

/** Writes a file anew; false when it cannot be written. */
export function writeText(path: string, text: string): bool {
  const fd = open(path, CREATE_AND_TRUNCATE, MAY_WRITE);
  if (fd == 0) return false;
  const written = writeAll(fd, Uint8Array.wrap(String.UTF8.encode(text)));
  fd_close(fd);
  return written;
}

/** Opens through the preopen whose path is the longest beginning; 0 when that fails. */
function open(path: string, flags: u16, rights: u64): u32 {
  const bytes = String.UTF8.encode(path);
  const at = changetype<usize>(scratch);
  let folder: u32 = 0;
  let longest = 0;
  for (let fd: u32 = 3; fd_prestat_get(fd, at) == 0; fd++) {
    const name = new ArrayBuffer(load<u32>(at, 4));
    if (fd_prestat_dir_name(fd, changetype<usize>(name), name.byteLength) != 0) continue;
    const text = String.UTF8.decode(name);
    if (!path.startsWith(text + "/") || name.byteLength <= longest) continue;
    folder = fd;
    longest = name.byteLength;
  }
  if (folder == 0) return 0;
  const start = changetype<usize>(bytes) + longest + 1;
  const length = bytes.byteLength - longest - 1;
  if (path_open(folder, 1, start, length, flags, rights, 0, 0, at) != 0) return 0;
  return load<u32>(at);
}

/** Some bytes; none at the end, and none when reading fails. */
function read(fd: u32): Uint8Array {
  const buffer = new Uint8Array(CHUNK);
  const at = changetype<usize>(scratch);
  store<usize>(at, buffer.dataStart);
  store<usize>(at, CHUNK, 4);
  if (fd_read(fd, at, 1, at + 8) != 0) return new Uint8Array(0);
  return buffer.subarray(0, load<u32>(at, 8));
}

function writeAll(fd: u32, bytes: Uint8Array): bool {
  const at = changetype<usize>(scratch);
  for (let done: usize = 0; done < <usize>bytes.length; done += load<u32>(at, 8)) {
    store<usize>(at, bytes.dataStart + done);
    store<usize>(at, <usize>bytes.length - done, 4);
    if (fd_write(fd, at, 1, at + 8) != 0) return false;
  }
  return true;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
