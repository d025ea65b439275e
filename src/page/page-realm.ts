// What a page gives its sandboxes: web workers and its own fetch; page.

import type { SandboxOptions } from "./sandbox-options.ts";
import { createSandboxIn, type Realm, type Sandbox } from "./sandbox.ts";
import { spawn } from "./spawn.ts";

const PAGE: Realm = { spawn, fetch: (...request) => fetch(...request) };

/** createSandbox in a page, once its code is loaded. */
export function createSandboxInPage(options: SandboxOptions): Promise<Sandbox> {
  return createSandboxIn(PAGE, options);
}
