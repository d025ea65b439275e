// Which rung of the ladder this realm stands on; page and Node.

import type { Transport } from "../wire/messages.ts";
import { jspi } from "../wire/suspending.ts";
import { wrong } from "./run-options.ts";
import { noJspi, notIsolated } from "./unsupported.ts";

/** The best rung of this realm. */
export function rung(): Transport {
  // Node has no such notion (undefined), and shared memory always.
  const { crossOriginIsolated: isolated } = globalThis as { crossOriginIsolated?: boolean };
  if (typeof SharedArrayBuffer === "function" && isolated !== false) return "shared-memory";
  return jspi() ? "suspending" : "none";
}

/** The best rung, or the one asked for. Throws SandboxError `unsupported` or `bad_option`. */
export function chooseTransport(asked: Transport | undefined): Transport {
  const best = rung();
  if (asked === undefined) return best;
  if (asked === "shared-memory" && best !== "shared-memory") throw notIsolated();
  if (asked === "suspending" && !jspi()) throw noJspi();
  if (["shared-memory", "suspending", "none"].includes(asked)) return asked;
  return wrong("transport", '"shared-memory", "suspending" or "none"');
}
