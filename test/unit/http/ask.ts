// Asks an HTTP door with an object and reads its answer; Node, tests.

import type { HttpDoor } from "../../../src/http/http-door.ts";

/** An answer document, whichever of the two it is. */
export interface AskAnswer {
  readonly ok?: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: {
      readonly type: string;
      readonly text?: string;
      readonly path?: string;
      readonly bytes?: number;
    };
  };
  readonly error?: { readonly kind: string; readonly message: string };
}

/** A request as an object, a text or bytes. */
export async function ask(
  door: HttpDoor,
  request: object | string | Uint8Array,
): Promise<AskAnswer> {
  const text = typeof request === "string" ? request : JSON.stringify(request);
  const bytes = request instanceof Uint8Array ? request : new TextEncoder().encode(text);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await door.call(bytes)));
}

/** The kind of failure, or "ok". */
export function kindOf(answer: AskAnswer): string {
  return answer.error?.kind ?? "ok";
}
