// What packages were found to offer, by the digest of their file: the same file is asked once; page and Node.

import type { PackageTool } from "../package/tool-listing.ts";

/** Files remembered; the one that was not loaded longest goes first. */
const MOST = 64;

const known = new Map<string, Promise<readonly PackageTool[]>>();

/** The tools of a file, asked for by `ask` unless they are known. A failure is not remembered. */
export async function discoveredOnce(
  digest: string | undefined,
  ask: () => Promise<readonly PackageTool[]>,
): Promise<readonly PackageTool[]> {
  if (digest === undefined) return ask();
  const shared = known.get(digest);
  if (shared) {
    remember(digest, shared);
    // What failed for another (its signal, its worker) may not for us.
    const tools = await shared.catch(() => undefined);
    if (tools) return tools;
  }
  const found = ask();
  remember(digest, found);
  return found;
}

function remember(digest: string, found: Promise<readonly PackageTool[]>): void {
  known.delete(digest);
  known.set(digest, found);
  found.catch(() => {
    if (known.get(digest) === found) known.delete(digest);
  });
  if (known.size > MOST) known.delete(known.keys().next().value!);
}
