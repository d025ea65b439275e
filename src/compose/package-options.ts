// What a package is loaded and called with, checked; page and Node.

import { SandboxError } from "../errors.ts";
import { Volume } from "../files/volume.ts";
import { PACKAGE_TIMEOUT_MS } from "../limits.ts";
import { wrong, type RunOptions } from "../page/run-options.ts";
import type { Sandbox } from "../page/sandbox.ts";
import type { SandboxOptions } from "../page/sandbox-options.ts";
import type { Skills } from "./package-mounts.ts";

/** Options of a call; given to `loadPackage` they are what its calls use by default. */
export interface PackageCallOptions {
  /** Where the package keeps files. Without one, /volume/tmp is empty for each call and /volume/data is not there. */
  readonly volume?: Volume;
  /** False leaves out /volume/data. Default true, with a volume. */
  readonly data?: boolean;
  /** Hosts that it may reach over HTTP; without it, none. See docs/http.md. */
  readonly network?: RunOptions["network"];
  /** How its requests are sent, as in `run`. */
  readonly http?: RunOptions["http"];
  /** Folders below /skills. */
  readonly skills?: Skills;
  /** Milliseconds of the whole call, HTTP included; waiting for a place or for the volume is not. Default 30,000. */
  readonly timeoutMs?: number;
  /** Bytes that its memory may grow to. Default 256 MiB. */
  readonly memoryBytes?: number;
  /** Ends the call: `aborted`. */
  readonly signal?: AbortSignal;
  /** Told of what it writes on stderr, as text, while it runs. */
  readonly onStderr?: (text: string) => void;
  /** Goes into the request's `_meta`, beside the protocol's own keys. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Options of `loadPackage`. */
export interface PackageOptions extends Omit<PackageCallOptions, "meta"> {
  /** A Subresource Integrity value that the file's bytes must have. */
  readonly integrity?: string;
  /** Told while the file is fetched. */
  readonly onProgress?: (progress: { readonly loaded: number; readonly total?: number }) => void;
  /** Whether a registry checks arguments against the input schemas. Default false: the package checks them itself. */
  readonly validateArguments?: boolean;
  /** Instances alive at once, and calls that may wait for a place; as in `createSandbox`. */
  readonly maxGuests?: number;
  readonly maxQueued?: number;
  /** How workers are started, and how guests block; as in `createSandbox`. */
  readonly worker?: () => Worker;
  readonly transport?: SandboxOptions["transport"];
  /** Makes its sandboxes: that of `sallyport/node` runs packages in Node. */
  readonly createSandbox?: (options: SandboxOptions) => Promise<Sandbox>;
}

const CALL_KEYS = new Set(
  "volume data network http skills timeoutMs memoryBytes signal onStderr meta".split(" "),
);
const LOAD_KEYS = new Set([
  ...CALL_KEYS,
  ..."integrity onProgress validateArguments maxGuests maxQueued worker transport createSandbox".split(
    " ",
  ),
]);
LOAD_KEYS.delete("meta");

/** Call options with every default filled in. */
export interface CheckedCall extends PackageCallOptions {
  readonly skills: Skills;
  readonly timeoutMs: number;
}

/** The options of one call over those of the package. @throws SandboxError `bad_option` */
export function checkCallOptions(
  presets: PackageCallOptions,
  options: PackageCallOptions = {},
): CheckedCall {
  checkKeys("call", options, CALL_KEYS);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const all = { ...presets, ...(Object.fromEntries(given) as PackageCallOptions) };
  checkValues(all);
  return { ...all, skills: all.skills ?? {}, timeoutMs: all.timeoutMs ?? PACKAGE_TIMEOUT_MS };
}

/** The call options among those of `loadPackage`. The signal there is for the loading. @throws SandboxError `bad_option` */
export function checkLoadOptions(options: PackageOptions): PackageCallOptions {
  checkKeys("loadPackage", options, LOAD_KEYS);
  const { validateArguments, createSandbox } = options;
  if (validateArguments !== undefined && typeof validateArguments !== "boolean") {
    wrong("validateArguments", "true or false");
  }
  if (createSandbox !== undefined && typeof createSandbox !== "function") {
    wrong("createSandbox", "a function");
  }
  checkValues(options);
  const presets = Object.entries(options).filter(
    ([name, value]) => CALL_KEYS.has(name) && name !== "signal" && value !== undefined,
  );
  return Object.fromEntries(presets) as PackageCallOptions;
}

function checkKeys(what: string, options: object, known: ReadonlySet<string>): void {
  if (typeof options !== "object" || options === null) {
    throw new SandboxError("bad_option", `the options of ${what} are an object`);
  }
  for (const name of Object.keys(options)) {
    if (!known.has(name)) wrong(name, `unknown in ${what}; known are ${[...known].join(", ")}`);
  }
}

function checkValues(options: PackageCallOptions): void {
  const { volume, data, skills, timeoutMs, memoryBytes, signal, onStderr } = options;
  if (volume !== undefined && !(volume instanceof Volume)) {
    wrong("volume", "what memoryVolume() or openVolume() gives");
  }
  if (data !== undefined && typeof data !== "boolean") wrong("data", "true or false");
  if (skills !== undefined && (typeof skills !== "object" || skills === null)) {
    wrong("skills", "an object of trees by name");
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs >= 1)) {
    wrong("timeoutMs", "a number of at least 1");
  }
  if (memoryBytes !== undefined && typeof memoryBytes !== "number") {
    wrong("memoryBytes", "a number of bytes");
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong("signal", "an AbortSignal");
  if (onStderr !== undefined && typeof onStderr !== "function") wrong("onStderr", "a function");
}
