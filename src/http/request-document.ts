// The request document of ABI 1: bytes in, checked fields out; unknown fields are refused; page, worker and Node.

import { HTTP_REQUEST_BYTES } from "../limits.ts";
import { echo, HttpFailure } from "./http-failure.ts";
import { JsonFault, jsonMembers, scanJson, type JsonSpan } from "./json-scan.ts";

/** The seven methods, upper case only: fetch neither raises nor lowers some of them. */
export const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** A method a guest may use. */
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** What the guest asked for. Its URL and headers are not judged yet. */
export interface RequestDocument {
  readonly method: HttpMethod;
  readonly url: string;
  /** Names as the guest wrote them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: RequestBody;
  /** Where the answer's body goes: a path, or undefined for inline. */
  readonly outputPath?: string;
  readonly followRedirects: boolean;
  readonly timeoutMs?: number;
}

/** A body. `json` keeps the guest's own spelling, so numbers of any size arrive as they were written. */
export type RequestBody =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "json"; readonly source: string }
  | { readonly type: "file"; readonly path: string };

/** Reads a document. Throws {@link HttpFailure} of kind `invalid_request`. */
export function readRequestDocument(bytes: Uint8Array): RequestDocument {
  if (bytes.byteLength > HTTP_REQUEST_BYTES) throw tooLongDocument(bytes.byteLength);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return readFields(new Fields("the request", text, scanJson(text)));
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
    const why = error instanceof JsonFault ? error.message : "not UTF-8";
    throw invalid(`the request is not a JSON document: ${why}`);
  }
}

/** The answer to a document over 8 MiB, which nobody reads. */
export function tooLongDocument(bytes: number): HttpFailure {
  const rest = "send a large body as a file, body: {type: file, path}";
  return invalid(`the request has ${bytes} bytes; at most ${HTTP_REQUEST_BYTES} are read; ${rest}`);
}

function readFields(fields: Fields): RequestDocument {
  const method = fields.text("method") ?? "GET";
  if (!isMethod(method)) {
    throw invalid(`method ${echo(method)} is not one of ${HTTP_METHODS.join(", ")}, in capitals`);
  }
  const url = fields.text("url");
  if (url === undefined) throw invalid("the request has no url");
  const headers = new Map<string, string>();
  const named = fields.object("headers");
  for (const name of named?.names() ?? []) headers.set(name, named!.text(name)!);
  const body = readBody(fields.nullable("body"));
  if (body && (method === "GET" || method === "HEAD")) {
    throw invalid(`a ${method} request has no body; use POST, PUT or PATCH`);
  }
  const outputPath = readOutput(fields.object("output"));
  const followRedirects = fields.flag("follow_redirects") ?? true;
  const timeoutMs = readTimeout(fields);
  fields.end();
  return {
    method,
    url,
    headers,
    followRedirects,
    ...(body && { body }),
    ...(outputPath !== undefined && { outputPath }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function isMethod(method: string): method is HttpMethod {
  return (HTTP_METHODS as readonly string[]).includes(method);
}

function readBody(fields: Fields | undefined): RequestBody | undefined {
  if (!fields) return undefined;
  const type = fields.text("type");
  let body: RequestBody;
  if (type === "text") body = { type, text: fields.need("text") };
  else if (type === "file") body = { type, path: fields.need("path") };
  else if (type === "json") body = { type, source: fields.source("json") };
  else throw invalid(`body.type is one of text, json, file, not ${echo(type ?? "")}`);
  fields.end();
  return body;
}

function readOutput(fields: Fields | undefined): string | undefined {
  if (!fields) return undefined;
  const type = fields.text("type");
  if (type !== "inline" && type !== "file") {
    throw invalid(`output.type is inline or file, not ${echo(type ?? "")}`);
  }
  const path = type === "file" ? fields.need("path") : undefined;
  fields.end();
  return path;
}

function readTimeout(fields: Fields): number | undefined {
  const source = fields.optionalSource("timeout_ms");
  if (source === undefined || source === "null") return undefined;
  const value = /^[0-9]{1,15}$/.test(source) ? Number(source) : 0;
  if (value < 1) throw invalid("timeout_ms is a whole number of milliseconds, at least 1");
  return value;
}

/** The members of one object of the document, taken out one by one, so that what is left over is unknown. */
class Fields {
  private readonly what: string;
  private readonly document: string;
  private readonly members: Map<string, JsonSpan>;

  constructor(what: string, document: string, span: JsonSpan) {
    const members = jsonMembers(document, span);
    if (!members) throw invalid(`${what} is not an object`);
    this.what = what;
    this.document = document;
    this.members = members;
  }

  names(): string[] {
    return [...this.members.keys()];
  }

  /** The member as it is written in the document. */
  optionalSource(name: string): string | undefined {
    const span = this.members.get(name);
    this.members.delete(name);
    return span && this.document.slice(span.start, span.end);
  }

  source(name: string): string {
    const source = this.optionalSource(name);
    if (source === undefined) throw invalid(`${this.what}.${name} is missing`);
    return source;
  }

  text(name: string): string | undefined {
    const source = this.optionalSource(name);
    if (source === undefined) return undefined;
    if (!source.startsWith('"')) throw invalid(`${this.what}: ${echo(name)} is not a string`);
    return JSON.parse(source);
  }

  need(name: string): string {
    const text = this.text(name);
    if (text === undefined) throw invalid(`${this.what}.${name} is missing`);
    return text;
  }

  flag(name: string): boolean | undefined {
    const source = this.optionalSource(name);
    if (source === undefined) return undefined;
    if (source !== "true" && source !== "false") throw invalid(`${name} is true or false`);
    return source === "true";
  }

  object(name: string): Fields | undefined {
    const span = this.members.get(name);
    this.members.delete(name);
    return span && new Fields(name, this.document, span);
  }

  /** An object, or null for none, as some languages write what is absent. */
  nullable(name: string): Fields | undefined {
    const span = this.members.get(name);
    if (span && this.document.startsWith("null", span.start)) {
      this.members.delete(name);
      return undefined;
    }
    return this.object(name);
  }

  /** Refuses what nobody took. */
  end(): void {
    for (const name of this.members.keys()) {
      throw invalid(`${this.what} has an unknown field ${echo(name)}`);
    }
  }
}

function invalid(message: string): HttpFailure {
  return new HttpFailure("invalid_request", message);
}
