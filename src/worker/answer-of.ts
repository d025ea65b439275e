// What the page is told of work in a worker that failed: errors as plain data, since their codes do not cross; worker.

import { SandboxError } from "../errors.ts";
import type { Failure } from "../wire/messages.ts";

function failure({ code, message, data }: SandboxError): Failure {
  return data === undefined ? { code, message } : { code, message, data };
}

/** What work came to, or why it did not. */
export async function answerOf<T>(work: () => Promise<T>): Promise<T | { failure: Failure }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SandboxError) return { failure: failure(error) };
    return { failure: { code: "worker_failed", message: `the worker failed: ${String(error)}` } };
  }
}

/** Why an action failed, if it did; other errors than ours pass. */
export function failureOf(action: () => void): Failure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return failure(error);
    throw error;
  }
}
