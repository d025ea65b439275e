// Configurations as objects, JSON or YAML, read and checked by code that ajv wrote beforehand; page and Node.

import { SandboxError } from "../errors.ts";
import { CONFIG_BYTES } from "../limits.ts";

/** An object, or text in JSON or YAML. */
export type ConfigSource = string | Readonly<Record<string, unknown>>;

/** A check of ajv's standalone code. */
export interface ConfigCheck {
  (value: unknown): boolean;
  errors?:
    | readonly {
        readonly instancePath: string;
        readonly message?: string;
        readonly params?: Readonly<Record<string, unknown>>;
      }[]
    | null;
}

/**
 * Reads and checks a configuration.
 *
 * @param what Names it in errors.
 * @throws SandboxError `bad_config` with the place in `data.path`
 */
export async function readConfig<T>(
  what: string,
  source: ConfigSource,
  check: ConfigCheck,
): Promise<T> {
  const value = typeof source === "string" ? await parse(what, source) : source;
  if (check(value)) return value as T;
  const { instancePath = "", message = "is wrong", params = {} } = check.errors?.[0] ?? {};
  const names = Object.values(params).filter(
    (one) => typeof one === "string" || Array.isArray(one),
  );
  const details = names.length === 0 ? "" : ` (${names.flat().join(", ")})`;
  throw badConfig(
    `${what}${instancePath === "" ? "" : ` at ${instancePath}`} ${message}${details}`,
    instancePath,
  );
}

async function parse(what: string, text: string): Promise<unknown> {
  if (text.length > CONFIG_BYTES)
    throw badConfig(`${what} has more than ${CONFIG_BYTES} characters`, "");
  try {
    if (/^\s*\{/.test(text)) {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        // YAML may begin with a brace too.
      }
    }
    const yaml = await import("yaml");
    return yaml.parse(text) as unknown;
  } catch (cause) {
    throw badConfig(`${what} is neither JSON nor YAML: ${(cause as Error).message}`, "", cause);
  }
}

/** The error of a configuration. */
export function badConfig(message: string, path: string, cause?: unknown): SandboxError {
  return new SandboxError("bad_config", message, {
    data: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}
