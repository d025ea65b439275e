// Arguments on their way from the frame to the tool: plain JavaScript values; page, worker and Node.

import { isJsonObject, type Json, setOwn, WholeFloat } from "../schema/json-value.ts";

/**
 * Makes plain values of checked arguments, in place: `5.0` becomes 5.
 *
 * @param detached Objects lose their prototype. Needed where the schema has a property called like something that every
 * object inherits: absent, `args.constructor` must be undefined.
 */
export function deliver(value: Json | undefined, wholeFloats: boolean, detached: boolean): unknown {
  return value !== undefined && (wholeFloats || detached) ? plain(value, detached) : value;
}

function plain(value: Json, detached: boolean): Json | number {
  if (value instanceof WholeFloat) return value.value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = plain(value[i] as Json, detached);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) setOwn(value, key, plain(value[key] as Json, detached));
    if (detached) Object.setPrototypeOf(value, null);
  }
  return value;
}
