// Checks of anyOf and oneOf, which may fail in one alternative and fit in another; page, worker and Node.

import type { CheckState, Failure, ValueCheck } from "./check-state.ts";
import type { Json } from "./json-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/** The check of `anyOf`; takes no step itself. */
export function anyOfCheck(node: SchemaNode, branches: readonly SchemaNode[]): ValueCheck {
  return (value, state) => {
    let deepest: Failure | undefined;
    let fits = false;
    for (const branch of branches) {
      if (fitsBranch(branch, value, state)) {
        fits = true;
        // With bytes about, a later alternative may be the one that welcomes them.
        if (state.welcome === undefined) return true;
      } else {
        deepest = deeper(deepest, state.failure);
      }
    }
    return fits || noBranch("anyOf", node, value, state, deepest);
  };
}

/** The check of `oneOf`; takes no step itself. */
export function oneOfCheck(node: SchemaNode, branches: readonly SchemaNode[]): ValueCheck {
  return (value, state) => {
    let deepest: Failure | undefined;
    let fitting = 0;
    for (const branch of branches) {
      if (fitsBranch(branch, value, state)) fitting++;
      else deepest = deeper(deepest, state.failure);
    }
    if (fitting === 1) return true;
    return fitting === 0
      ? noBranch("oneOf", node, value, state, deepest)
      : state.fail("oneOf", node, value, fitting);
  };
}

/** Checks an alternative; what it welcomed is forgotten when it does not fit. */
function fitsBranch(branch: SchemaNode, value: Json, state: CheckState): boolean {
  const before = state.welcome?.length ?? 0;
  if (branch.check(value, state)) return true;
  if (state.welcome !== undefined) state.welcome.length = before;
  return false;
}

/** No alternative fits: the one that came furthest says most about what is wrong. */
function noBranch(
  broken: "anyOf" | "oneOf",
  node: SchemaNode,
  value: Json,
  state: CheckState,
  deepest: Failure | undefined,
): false {
  if (deepest === undefined || deepest.path.length === 0) {
    return state.fail(broken, node, value, 0);
  }
  state.failure = deepest;
  return false;
}

function deeper(a: Failure | undefined, b: Failure | undefined): Failure | undefined {
  return a === undefined || (b !== undefined && b.path.length > a.path.length) ? b : a;
}
