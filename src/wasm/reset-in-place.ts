// Whether an instance can be put back to an earlier state by the host, instead of being made anew; page, worker and Node.
import type { ModuleFacts } from "./module-facts.ts";

/** Types whose values pass between a global and JavaScript. */
const PASSES: ReadonlySet<string> = new Set(["i32", "i64", "f32", "f64", "funcref", "externref"]);

/**
 * Says why an instance that such code has joined could not be restored as {@link whyNoReset} says it of the instance's own
 * module; undefined when it could. What the code's segments write to tables is there for all later runs: it is the same for
 * each of them, as the code joins an instance once. What they write to memory would not be there: that is put back.
 */
export function whyNoResetWith(code: ModuleFacts): string | undefined {
  const why = whyBodies(code);
  if (why !== undefined) return why;
  if (code.hasDataSection) return "it has data segments";
  return code.globals.some(({ imported, mutable }) => mutable && !imported)
    ? "it has a mutable global"
    : undefined;
}

/**
 * Says why copying back memory and globals would not restore an instance of this module; undefined when it would. Needs
 * facts of a walk with `deep: WALK_BODIES`. Growth and traps are up to each run: an instance that saw one is not restored.
 */
export function whyNoReset(facts: ModuleFacts): string | undefined {
  const why = whyBodies(facts);
  if (why !== undefined) return why;
  if (!facts.mutableGlobalsExported) return "it has a mutable global that it does not export";
  if (facts.globals.some(({ mutable, type }) => mutable && !PASSES.has(type))) {
    return "it has a mutable global whose value JavaScript cannot hold";
  }
  if (facts.globals.some(({ mutable, imported }) => mutable && imported))
    return "it imports a mutable global";
  const memory = facts.memories.length === 1 ? facts.memory : undefined;
  const isReachable =
    memory?.imported === true || facts.exports.some(({ kind }) => kind === "memory");
  if (facts.memories.length > 1 || (memory !== undefined && !isReachable))
    return "it has a memory that it does not export";
  if (memory?.shared === true) return "its memory is shared";
  return undefined;
}

function whyBodies({ bodies, features }: ModuleFacts): string | undefined {
  if (bodies === undefined) return "its function bodies were not read";
  if (bodies.tableWrites) return "its code writes tables";
  if (bodies.segmentDrops) return "its code drops data or element segments";
  if (features.some(({ feature }) => feature === "gc"))
    return "it keeps objects outside its memory";
  return undefined;
}
