// Starts the same worker script in a worker thread, behind a scope that looks like a web worker's; Node.

import { Worker as Thread } from "node:worker_threads";
import type { PageMessage, WorkerMessage } from "../wire/messages.ts";
import type { WorkerEndpoint } from "../page/guest-worker.ts";

/**
 * The few names of a web worker's scope that the worker script uses, over the thread's port. The script itself is
 * imported, so that it is one file for pages and Node alike.
 */
const BOOTSTRAP = `
const { parentPort, workerData } = require("node:worker_threads");
globalThis.WorkerGlobalScope = Object;
globalThis.postMessage = (message, transfer) => parentPort.postMessage(message, transfer);
globalThis.addEventListener = (type, listener) =>
  parentPort.on(type, (data) => listener({ data }));
import(workerData).catch((error) => { throw error; });
`;

/** Starts a thread with worker.js beside this file. */
export function spawn(): WorkerEndpoint {
  const script = new URL("./worker.js", import.meta.url);
  const thread = new Thread(BOOTSTRAP, {
    eval: true,
    workerData: script.href,
    name: "sallyport",
    // The process's own flags may say that evaluated code is a module (--input-type).
    execArgv: [],
  });
  return {
    source: script.href,
    post: (message: PageMessage, transfer) => thread.postMessage(message, transfer as never),
    listen(hear, ended) {
      thread.on("message", (message: WorkerMessage) => hear(message));
      thread.on("error", (error) => ended(String(error)));
      thread.on("exit", (code) => ended(`the thread ended with code ${code}`));
    },
    terminate: () => void thread.terminate(),
    // An idle worker must not keep the process: it exits by itself once its runs have ended.
    hold: (busy) => (busy ? thread.ref() : thread.unref()),
  };
}
