// Rung 2 of the ladder on the page: answers a worker's calls by message; compiled for both realms.

import { answerCall, type CallHandler, type HostAnswer } from "./blocking-call.ts";
import {
  bodyOf,
  bytesOf,
  handedOver,
  type CallMessage,
  type Post,
  type ReplyMessage,
} from "./suspending-messages.ts";

/** The page's half of one run. */
export interface SuspendingServer {
  /** A call of the worker. */
  receive(message: CallMessage): void;
  /** Stops the run for good; no answer goes out after. */
  stop(): void;
  /** The run is over; the worker need not be told. */
  end(): void;
}

/** Serves one run's blocking calls with `handler` until it is stopped; `answered` is told once a guest has its answer. */
export function serveSuspending(
  run: number,
  post: Post<ReplyMessage>,
  handler: CallHandler,
  answered?: () => void,
): SuspendingServer {
  let over = false;
  return {
    receive([, call, kind, request]) {
      const reply = (answer: HostAnswer): void => {
        if (over) return;
        // A copy, since the bytes may belong to the page, and a view would take its whole buffer along.
        const body = answer instanceof Uint8Array ? bodyOf(answer) : answer;
        if (body === undefined) post([run, call], []);
        else post([run, call, body], handedOver(body));
        answered?.();
      };
      if (over) return;
      void answerCall(handler, kind, bytesOf(request), reply);
    },
    stop() {
      over = true;
      post([run], []);
    },
    end() {
      over = true;
    },
  };
}
