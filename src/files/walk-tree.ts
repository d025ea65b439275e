// Everything below a folder of a run, with its path; worker.

import { DirectoryNode } from "./directory.ts";
import type { Node } from "./nodes.ts";

/**
 * Visits what lies below `root`, each folder before what it holds, with the path from there. Other mounts are left out,
 * and what is in a granted folder that was never listed: it is as it was.
 */
export function* walkTree(root: DirectoryNode): Generator<[path: string, node: Node]> {
  const waiting: [DirectoryNode, string][] = [[root, ""]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [directory, prefix] = next;
    if (directory.unlisted !== undefined) continue;
    for (const [name, node] of directory) {
      const path = prefix + name;
      if (node instanceof DirectoryNode) {
        if (node.isRoot) continue;
        waiting.push([node, `${path}/`]);
      }
      yield [path, node];
    }
  }
}
