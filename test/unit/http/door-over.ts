// A door over a fetch that sends nothing and keeps what it was given; Node, tests.

import {
  createHttpDoor,
  type HttpDoor,
  type HttpDoorOptions,
} from "../../../src/http/http-door.ts";

/** Where doors are asked to go. */
export const url = "https://api.example.com/";
/** The policy of a door that says nothing else. */
export const network = { allow: ["api.example.com", "other.example.com"] };

/** What fetch was given. */
export interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Record<string, string>;
}

/** A door over a fetch that answers "ok" and keeps what it was given. */
export function doorOver(
  respond: (sent: Sent) => Promise<Response> | Response = () => new Response("ok"),
  options: Partial<HttpDoorOptions> = {},
): { door: HttpDoor; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = Object.fromEntries(new Headers(init.headers));
    sent.push({ url: input as string, init, headers });
    return respond(sent.at(-1)!);
  };
  return { door: createHttpDoor({ network, fetch, ...options }), sent };
}

/** The code of what `work` throws, or "none". */
export function codeOf(work: () => unknown): unknown {
  try {
    work();
    return "none";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

/** Never settles. */
export const never = (): Promise<never> => new Promise(() => {});
