// Learns what a package offers: server/discover, then tools/list through its pages, in one instance; page and Node.

import { SandboxError } from "../errors.ts";
import { PACKAGE_DISCOVERY_MS, PACKAGE_PAGES } from "../limits.ts";
import { isObject, type JsonObject } from "./message.ts";
import { REVISION, type RequestMaker } from "./requests.ts";
import type { RunGuest } from "./run-guest.ts";
import { converse } from "./session.ts";
import { readTools, type PackageTool } from "./tool-listing.ts";

/** What {@link discover} needs. */
export interface DiscoverParts {
  readonly runGuest: RunGuest;
  readonly requests: RequestMaker;
  /**
   * Whether guests can be kept waiting for a further line. Without it, packages with one page of tools still load:
   * both requests are known in advance.
   */
  readonly canWait: boolean;
  readonly onStderr?: (bytes: Uint8Array) => void;
}

/**
 * Asks a package for its tools.
 *
 * @throws PackageCrash when it crashed; SandboxError `bad_package` when it speaks another revision, offers no tools, or
 * breaks a limit, with the tool, the field and the limit in `data`; `unsupported` for further pages without `canWait`
 */
export async function discover(parts: DiscoverParts): Promise<readonly PackageTool[]> {
  const { runGuest, requests, canWait, onStderr } = parts;
  const pages: JsonObject[] = [];
  const followUp = (result: JsonObject) => {
    pages.push(result);
    const cursor = nextCursor(result);
    if (cursor === undefined) return undefined;
    if (pages.length === PACKAGE_PAGES) {
      throw new SandboxError(
        "bad_package",
        `the package lists its tools on more than ${PACKAGE_PAGES} pages`,
        { data: { field: "nextCursor", limit: PACKAGE_PAGES } },
      );
    }
    return requests.listTools(cursor);
  };
  const { results } = await converse({
    runGuest,
    requests: [requests.discover(), requests.listTools()],
    ...(canWait ? { followUp } : {}),
    timeoutMs: PACKAGE_DISCOVERY_MS,
    ...(onStderr ? { onStderr } : {}),
  });
  checkAbout(results[0]!);
  if (!canWait) refuseFurtherPages(followUp(results[1]!));
  return readTools(pages.flatMap(toolsOf));
}

function nextCursor({ nextCursor: cursor }: JsonObject): string | undefined {
  // null is how some writers of JSON leave a key out.
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor === "string") return cursor;
  throw new SandboxError("bad_package", "the package's nextCursor is no text", {
    data: { field: "nextCursor", limit: "text" },
  });
}

function toolsOf({ tools }: JsonObject): readonly unknown[] {
  if (Array.isArray(tools)) return tools as unknown[];
  throw new SandboxError(
    "bad_package",
    "the package's answer to tools/list has no array of tools",
    {
      data: { field: "tools", limit: "array" },
    },
  );
}

function checkAbout({ supportedVersions, capabilities }: JsonObject): void {
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(REVISION)) {
    throw new SandboxError(
      "bad_package",
      `the package does not speak MCP ${REVISION}: its supportedVersions is ${JSON.stringify(supportedVersions)?.slice(0, 200)}`,
      { data: { field: "supportedVersions", limit: REVISION } },
    );
  }
  if (!isObject(capabilities) || !isObject(capabilities["tools"])) {
    throw new SandboxError("bad_package", "the package's capabilities do not offer tools", {
      data: { field: "capabilities", limit: "tools" },
    });
  }
}

function refuseFurtherPages(next: object | undefined): void {
  if (next === undefined) return;
  throw new SandboxError(
    "unsupported",
    "the package lists its tools on several pages, and this page lets no guest wait for the next request; serve it " +
      "cross-origin isolated (see docs/hosting.md)",
    { data: { reason: "stdin" } },
  );
}
