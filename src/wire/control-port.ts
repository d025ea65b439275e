// The worker's half of the control port: answers what the page asks through Comlink; compiled for both realms.
//
// Comlink's own half would be a twentieth of the worker, for proxies, callbacks and classes that never cross here. These
// are the messages of Comlink 4: { id, type: "APPLY", path, argumentList } and an answer with the same id.

/** What a function gives whose buffers are to go over without a copy. */
export class Transferred<Value> {
  readonly value: Value;
  readonly buffers: ArrayBuffer[];

  constructor(value: Value, buffers: ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

type Given<Value> = Value extends unknown ? Value | Transferred<Value> : never;

/** The functions of an interface; each may give its value as a {@link Transferred}. */
export type Served<Api> = {
  readonly [Name in keyof Api]: Api[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Given<Awaited<Result>> | Promise<Given<Awaited<Result>>>
    : never;
};

interface Apply {
  readonly id: string;
  readonly type: string;
  readonly path: readonly string[];
  readonly argumentList: readonly { readonly value: unknown }[];
}

/** Answers calls of `Comlink.wrap` on the port's other end. */
export function servePort<Api extends object>(port: MessagePort, api: Served<Api>): void {
  const functions = api as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  port.addEventListener("message", ({ data }: MessageEvent<Apply>) => {
    if (data.type === "APPLY") void answer(data);
  });
  port.start();

  async function answer({ id, path, argumentList }: Apply): Promise<void> {
    try {
      const given = await functions[path[0]!]!(...argumentList.map(({ value }) => value));
      if (given instanceof Transferred) {
        port.postMessage({ id, type: "RAW", value: given.value as unknown }, given.buffers);
      } else port.postMessage({ id, type: "RAW", value: given });
    } catch (error) {
      const { name, message, stack } = error as Error;
      const value = { isError: true, value: { name, message, stack } };
      port.postMessage({ id, type: "HANDLER", name: "throw", value });
    }
  }
}
