// Messages between two parts of a page: a MessagePort, or two windows that check each other's origin; page and Node.

import { SandboxError } from "../errors.ts";
import { isRpcMessage, type RpcMessage } from "./mcp-responder.ts";

/** A window that is spoken with by postMessage, and the origins that it may have. */
export interface WindowPeer {
  readonly window: Window;
  /** Such as `["https://app.example"]`; `"null"` for a sandboxed frame. Messages of others are not looked at. */
  readonly origins: readonly string[];
}

/** Where messages go and come from. */
export type PortPeer = MessagePort | WindowPeer;

/** An open channel. */
export interface PortChannel {
  send(message: RpcMessage): void;
  close(): void;
}

/**
 * Listens to a peer. What is no message of MCP, and what comes from elsewhere, is dropped.
 *
 * @throws SandboxError `bad_option`
 */
export function openChannel(
  peer: PortPeer,
  onMessage: (message: RpcMessage) => void,
  onClose: () => void = () => {},
): PortChannel {
  if (isPort(peer)) return openPort(peer, onMessage, onClose);
  const { window: other, origins } = peer ?? {};
  const fits =
    Array.isArray(origins) &&
    origins.length > 0 &&
    origins.every((one) => typeof one === "string" && one !== "*");
  if (typeof other?.postMessage !== "function" || !fits) {
    throw new SandboxError(
      "bad_option",
      "a peer is a MessagePort, or a window with the list of its origins",
    );
  }
  let origin = origins.length === 1 ? (origins[0] as string) : undefined;
  const listen = (event: MessageEvent): void => {
    if (event.source !== other || !origins.includes(event.origin) || !isRpcMessage(event.data))
      return;
    // Whoever spoke is answered, and nobody who took its place.
    origin = event.origin;
    onMessage(event.data);
  };
  globalThis.addEventListener("message", listen);
  return {
    // An opaque origin has no name to send to; that it is this window was checked.
    send: (message) =>
      other.postMessage(message, {
        targetOrigin: origin === undefined || origin === "null" ? "*" : origin,
      }),
    close: () => globalThis.removeEventListener("message", listen),
  };
}

function openPort(
  port: MessagePort,
  onMessage: (message: RpcMessage) => void,
  onClose: () => void,
): PortChannel {
  const listen = ({ data }: MessageEvent): void => {
    if (isRpcMessage(data)) onMessage(data);
  };
  port.addEventListener("message", listen);
  // Where a port tells that its other end is gone.
  port.addEventListener("close" as "message", onClose);
  port.start();
  return {
    send: (message) => port.postMessage(message),
    close: () => {
      port.removeEventListener("message", listen);
      port.removeEventListener("close" as "message", onClose);
      port.close();
    },
  };
}

function isPort(peer: PortPeer): peer is MessagePort {
  return typeof (peer as Partial<MessagePort> | undefined)?.start === "function";
}
