// Bounds what one value can cost: chains of $ref, anyOf and oneOf, and cycles that never descend; page, worker and Node.

import { SCHEMA_CHAIN } from "../limits.ts";
import { type Compilation, refuse } from "./compilation.ts";
import { sameValueNodes, type SchemaNode } from "./schema-node.ts";

/**
 * Refuses a schema in which one value could be checked against the same node without end, or against a chain of more
 * than eight nodes. Chains end where a keyword descends into the value (properties, items, …).
 *
 * @throws SandboxError `bad_tool`
 */
export function checkChains(compilation: Compilation, nodes: Iterable<SchemaNode>): void {
  const lengths = new Map<SchemaNode, number>();
  const open = new Set<SchemaNode>();
  const lengthFrom = (node: SchemaNode): number => {
    const known = lengths.get(node);
    if (known !== undefined) return known;
    if (open.has(node)) {
      throw refuse(
        compilation,
        node.path,
        "$ref",
        "a $ref leads back to itself without descending into the value",
      );
    }
    open.add(node);
    // The second test keeps this recursion short, whatever the length of the chain.
    const length =
      open.size > SCHEMA_CHAIN + 1
        ? Infinity
        : 1 + Math.max(0, ...sameValueNodes(node).map(lengthFrom));
    open.delete(node);
    if (length > SCHEMA_CHAIN) {
      const keyword = node.reference !== undefined ? "$ref" : node.anyOf ? "anyOf" : "oneOf";
      throw refuse(
        compilation,
        node.path,
        keyword,
        `a chain of $ref, anyOf and oneOf on one value is longer than ${SCHEMA_CHAIN} schemas`,
      );
    }
    lengths.set(node, length);
    return length;
  };
  for (const node of nodes) lengthFrom(node);
}
