// The vectors that every guest half has to pass, and a host that answers by them; Node, tests only.
import { readFileSync } from "node:fs";
import type { Script } from "./shim-host.ts";

/** One answer of a host, and what a half makes of it. */
export interface HalfVector {
  readonly name: string;
  /** Arguments of the call, as JSON text; those of the frame must be the same. */
  readonly args?: string;
  /** The host's answer; $ID stands for the id of the request. */
  readonly answer: string;
  /** The value that the program gets, as JSON text; or the kind (and message) of what is raised. */
  readonly prints?: string;
  readonly kind?: string;
  readonly message?: string;
}

export const halfVectors = JSON.parse(
  readFileSync(new URL("half-vectors.json", import.meta.url), "utf8"),
) as readonly HalfVector[];

/** JSON text without spaces, strings spelled one way, numbers as they stand. */
export function canonical(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : "",
  );
}

/** The outcome in one line, as the programs of these tests print it. */
export function outcomeOf({ prints, kind, message }: HalfVector): string {
  return prints === undefined
    ? `error ${kind}${message === undefined ? "" : `: ${message}`}`
    : `value ${canonical(prints)}`;
}

/** A printed line in the form of {@link outcomeOf}: messages that the vector does not give are left out. */
export function outcomeOfLine(line: string, vector: HalfVector): string {
  if (line.startsWith("value ")) return `value ${canonical(line.slice(6))}`;
  return vector.message === undefined ? line.replace(/^(error \w+): .*$/, "$1") : line;
}

const echoTool = {
  name: "echo",
  description: "Gives back what it is given.",
  inputSchema: { type: "object" },
};

/** Answers `list` with one tool, and each call with the next vector's answer; keeps the frames of the calls. */
export function vectorHost(vectors: readonly HalfVector[]): { door: Script; frames: string[] } {
  const frames: string[] = [];
  const door = (request: Uint8Array): Uint8Array => {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(request);
    const frame = JSON.parse(text) as { id: number; op: string };
    if (frame.op === "list") {
      return Buffer.from(JSON.stringify({ v: 1, id: frame.id, ok: true, tools: [echoTool] }));
    }
    frames.push(text);
    const answer = vectors[frames.length - 1]?.answer ?? "no more vectors";
    return Buffer.from(answer.replaceAll("$ID", String(frame.id)));
  };
  return { door, frames };
}

/** The frame without its id, members sorted, or what it should be for a vector. */
export function frameOf(vector: HalfVector): string {
  return `{"v":1,"op":"call","tool":"echo","args":${canonical(vector.args ?? "{}")}}`;
}

/** A frame in the form of {@link frameOf}. */
export function comparableFrame(frame: string): string {
  return canonical(frame).replace(/"id":\d+,/, "");
}
