// Exports the globals that a module changes, so that the host can put them back between runs; page, worker and Node.
import { ByteReader } from "./byte-reader.ts";
import { concatenate } from "./concatenate.ts";
import { leb } from "./limits-entry.ts";
import type { ModuleShape } from "./module-shape.ts";

/** What the names begin with. No guest sees its own exports. */
const PREFIX = "sallyport:";
const GLOBAL = 3;
/** A module with more of them is left as it is: reading and writing them would cost more than a new instance. */
const MOST = 64;

/**
 * The body of an export section with the mutable globals that it lacks added; undefined when there are none, or when the
 * module uses such names itself.
 */
export function exportGlobals(
  body: Uint8Array,
  { globals, exports }: ModuleShape,
): Uint8Array<ArrayBuffer> | undefined {
  const hidden = [...globals.entries()].filter(
    ([, { mutable, imported, exportedAs }]) => mutable && !imported && exportedAs.length === 0,
  );
  if (hidden.length === 0 || hidden.length > MOST) return undefined;
  if (exports.some(({ name }) => name.startsWith(PREFIX))) return undefined;
  const reader = new ByteReader(body, 0, body.length, 0);
  const count = reader.u32();
  const encoder = new TextEncoder();
  const added = hidden.map(([index]) => {
    const name = encoder.encode(`${PREFIX}${index}`);
    return Uint8Array.of(...leb(name.length), ...name, GLOBAL, ...leb(index));
  });
  const head = Uint8Array.from(leb(count + added.length));
  return concatenate([head, body.subarray(reader.at), ...added]);
}
