// The page's side of the relay: a transport for `network` that has full HTTP semantics; page and Node.

/**
 * @typedef {object} TransportRequest
 * @property {string} method
 * @property {string} url
 * @property {readonly (readonly [string, string])[]} headers
 * @property {Uint8Array<ArrayBuffer> | Blob} [body]
 */

/**
 * Makes a transport that sends every hop through a relay on the page's own origin.
 *
 * @param {string} endpoint such as "/relay"
 * @param {typeof globalThis.fetch} [fetch]
 * @example
 * python.run({ network: { allow: ["api.example.com"] }, http: { transport: relayTransport("/relay") } });
 */
export function relayTransport(endpoint, fetch = (input, init) => globalThis.fetch(input, init)) {
  return async (/** @type {TransportRequest} */ request, /** @type {AbortSignal} */ signal) => {
    const { method, url, headers, body } = request;
    const head = new TextEncoder().encode(JSON.stringify({ method, url, headers }));
    const length = new DataView(new ArrayBuffer(4));
    length.setUint32(0, head.byteLength);
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": "application/x-sallyport-relay" },
      // A Blob of Blobs: a file's bytes are not read here.
      body: new Blob([length.buffer, head, ...(body ? [body] : [])]),
      cache: "no-store",
      redirect: "error",
      signal,
    });
    if (response.status !== 200 || !response.body) {
      throw failure("abi", `the page's relay answered with status ${response.status}`);
    }
    const answer = await readAnswer(response.body.getReader());
    if (answer.head.error) throw failure(answer.head.error.kind, answer.head.error.message);
    return { status: answer.head.status, headers: answer.head.headers, body: answer.body };
  };
}

function failure(kind, message) {
  return Object.assign(new Error(message), { kind });
}

/** The JSON at the front of the relay's answer, and a stream of the bytes behind it. */
async function readAnswer(/** @type {ReadableStreamDefaultReader<Uint8Array>} */ reader) {
  let bytes = new Uint8Array(0);
  const need = async (/** @type {number} */ length) => {
    while (bytes.byteLength < length) {
      // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
      const { done, value } = await reader.read();
      if (done) throw failure("abi", "the relay's answer ends early");
      const longer = new Uint8Array(bytes.byteLength + value.byteLength);
      longer.set(bytes);
      longer.set(value, bytes.byteLength);
      bytes = longer;
    }
  };
  await need(4);
  const length = new DataView(bytes.buffer).getUint32(0);
  await need(4 + length);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const first = bytes.subarray(4 + length);
  /** @type {ReadableStream<Uint8Array>} */
  const body = new ReadableStream({
    start(controller) {
      if (first.byteLength > 0) controller.enqueue(first);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { head, body };
}
