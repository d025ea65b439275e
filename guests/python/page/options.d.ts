// What createSandbox takes for this Python; page and Node.

import type { PythonOptions } from "./python-at.js";

export { pythonAt, type PythonOptions } from "./python-at.js";

/**
 * The files of this package. Bundlers see which ones they are, and take them along.
 *
 * @example
 * import { python } from "@sallyport/python/options";
 * const sandbox = await createSandbox({ ...python, maxGuests: 2 });
 * const { stdoutText } = await sandbox.run({ args: ["-c", "print(6 * 7)"] }).result;
 */
export declare const python: PythonOptions;
