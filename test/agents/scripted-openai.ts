// An OpenAI-compatible server on loopback whose model follows a script, and is held to what the API demands; Node.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A step of the script: sees the conversation, says something or calls tools. */
export type Step = (
  messages: readonly ChatMessage[],
) => string | readonly { name: string; args: unknown }[];

export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

export interface ScriptedOpenAI {
  readonly baseURL: string;
  /** Bodies of the requests. */
  readonly requests: Record<string, unknown>[];
  close(): Promise<void>;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-allow-methods": "POST",
};

/** Starts the server; each conversation follows the script from its start. */
export async function serveScript(script: readonly Step[]): Promise<ScriptedOpenAI> {
  const requests: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    if (request.method === "OPTIONS") {
      response.writeHead(204, CORS).end();
      return;
    }
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>;
      requests.push(body);
      const headers = { "content-type": "application/json", ...CORS };
      const problem = problemOf(body);
      if (problem !== undefined) {
        response
          .writeHead(400, headers)
          .end(JSON.stringify({ error: { message: problem, type: "invalid_request_error" } }));
        return;
      }
      response.writeHead(200, headers).end(JSON.stringify(completion(script, body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function completion(script: readonly Step[], body: Record<string, unknown>): object {
  const messages = body["messages"] as ChatMessage[];
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const said = script[turn]?.(messages) ?? "The script is over.";
  const calls = typeof said === "string" ? [] : said;
  const tool_calls = calls.map(({ name, args }, index) => ({
    id: `call_${turn}_${index}`,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  const message = {
    role: "assistant",
    content: typeof said === "string" ? said : null,
    refusal: null,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  return {
    id: `chatcmpl-${turn}`,
    object: "chat.completion",
    created: 0,
    model: body["model"],
    choices: [
      {
        index: 0,
        message,
        logprobs: null,
        finish_reason: tool_calls.length === 0 ? "stop" : "tool_calls",
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

/** What the API would refuse. */
function problemOf({ messages, tools }: Record<string, unknown>): string | undefined {
  for (const tool of (tools ?? []) as {
    type: string;
    function: { name: string; strict?: boolean; parameters: unknown };
  }[]) {
    const { name, strict, parameters } = tool.function;
    if (tool.type !== "function" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      return `bad tool name ${name}`;
    if ((parameters as { type?: string }).type !== "object")
      return `${name}: parameters have to be of type object`;
    const problem = strict === true ? strictProblem(parameters) : undefined;
    if (problem !== undefined) return `Invalid schema for function '${name}': ${problem}`;
  }
  const list = messages as ChatMessage[];
  for (const [index, { role, tool_calls }] of list.entries()) {
    if (role !== "assistant" || tool_calls === undefined) continue;
    const following = list.slice(index + 1, index + 1 + tool_calls.length);
    const answered = following.map(({ role: one, tool_call_id, content }) =>
      one === "tool" && typeof content === "string" ? tool_call_id : undefined,
    );
    const wanted = tool_calls.map(({ id }) => id);
    if (wanted.some((id) => !answered.includes(id)))
      return "an assistant message with tool_calls must be followed by tool messages";
  }
  return undefined;
}

const KNOWN = new Set([
  "type",
  "description",
  "enum",
  "const",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
  "items",
  "anyOf",
  "$ref",
  "$defs",
  "properties",
  "required",
  "additionalProperties",
]);

/** What breaks the rules of strict schemas: closed objects, every key required, known keywords only. */
export function strictProblem(schema: unknown, path = "schema"): string | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema))
    return `${path} is no schema`;
  const one = schema as Record<string, unknown>;
  for (const key of Object.keys(one))
    if (!KNOWN.has(key)) return `${path}: '${key}' is not permitted`;
  const properties = (one["properties"] ?? {}) as Record<string, unknown>;
  if ([one["type"]].flat().includes("object")) {
    if (one["additionalProperties"] !== false)
      return `${path}: 'additionalProperties' is required to be false`;
    const required = (one["required"] ?? []) as string[];
    if (Object.keys(properties).some((name) => !required.includes(name)))
      return `${path}: 'required' has to name every key`;
  }
  const defs = (one["$defs"] ?? {}) as Record<string, unknown>;
  const inner = [
    ...Object.entries(properties),
    ...Object.entries(defs),
    ...((one["anyOf"] ?? []) as unknown[]).map((value, i) => [`anyOf ${i}`, value] as const),
    ...(one["items"] === undefined ? [] : [["items", one["items"]] as const]),
  ];
  for (const [name, value] of inner) {
    const problem = strictProblem(value, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
