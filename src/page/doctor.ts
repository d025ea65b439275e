// doctor(): what this page offers to guests, and what to change where it falls short; page and Node.

import { SandboxError } from "../errors.ts";
import { WASM_PAGE_BYTES } from "../limits.ts";
import { VERSION } from "../version.ts";
import type { Transport } from "../wire/messages.ts";
import { jspi } from "../wire/suspending.ts";
import { GuestWorker, type WorkerEndpoint } from "./guest-worker.ts";
import { rung } from "./rung.ts";
import { ISOLATION_HEADERS } from "./unsupported.ts";

/** One thing looked at. */
export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, in a few words. */
  readonly found: string;
  /** What to change; only where it is not ok. */
  readonly fix?: string;
}

/** What doctor() found. As text (`String(diagnosis)`) it is a table for people. */
export interface Diagnosis {
  /** The rung that a sandbox on this page would use. */
  readonly transport: Transport;
  /** True when guests run and can block. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  toString(): string;
}

/** How to look, on a page or in Node. */
export interface DoctorOptions {
  /** As in createSandbox, where the page starts its worker another way. */
  readonly worker?: () => Worker;
}

/** Looks at this realm; `spawn` starts its worker. Never rejects. */
export async function examine(spawn: () => WorkerEndpoint): Promise<Diagnosis> {
  const violations: string[] = [];
  const note = (event: Event): void => {
    const { violatedDirective, blockedURI } = event as SecurityPolicyViolationEvent;
    violations.push(`${violatedDirective} (${blockedURI})`);
  };
  const page = (globalThis as { document?: Document }).document;
  page?.addEventListener("securitypolicyviolation", note);
  const transport = rung();
  const findings = [
    rungFinding(transport),
    isolationFinding(),
    jspiFinding(),
    await compileFinding(),
    await workerFinding(spawn),
    memoryFinding(),
    await storageFinding(),
  ];
  page?.removeEventListener("securitypolicyviolation", note);
  findings.push(policyFinding(violations), versionFinding());
  const needed = ["blocking", "WebAssembly", "worker"];
  const ok = findings.every((finding) => finding.ok || !needed.includes(finding.name));
  return { transport, ok, findings, toString: () => table(findings) };
}

function rungFinding(transport: Transport): Finding {
  const why = {
    "shared-memory": "shared-memory: the page is cross-origin isolated",
    suspending: "suspending: the page is not isolated, and the browser has JSPI",
    none: "none: neither shared memory nor JSPI",
  }[transport];
  if (transport !== "none") return { name: "blocking", ok: true, found: why };
  return {
    name: "blocking",
    ok: false,
    found: why,
    fix: `guests that wait for anything end as unsupported: serve the page with ${ISOLATION_HEADERS}`,
  };
}

function isolationFinding(): Finding {
  // Node has no such notion (undefined).
  const { crossOriginIsolated: isolated } = globalThis as { crossOriginIsolated?: boolean };
  if (isolated !== false) return { name: "isolation", ok: true, found: "cross-origin isolated" };
  return {
    name: "isolation",
    ok: false,
    found: "not cross-origin isolated",
    fix: `for the faster rung, serve page and worker with ${ISOLATION_HEADERS}; guests run without it where JSPI is there`,
  };
}

function jspiFinding(): Finding {
  if (jspi()) return { name: "JSPI", ok: true, found: "available" };
  const found = "not available";
  return {
    name: "JSPI",
    ok: false,
    found,
    fix: "pages that are not isolated need it: a newer browser",
  };
}

async function compileFinding(): Promise<Finding> {
  try {
    await WebAssembly.compile(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
    return { name: "WebAssembly", ok: true, found: "compiles" };
  } catch (error) {
    return {
      name: "WebAssembly",
      ok: false,
      found: String(error),
      fix: "allow 'wasm-unsafe-eval' in script-src of the page's Content-Security-Policy",
    };
  }
}

async function workerFinding(spawn: () => WorkerEndpoint): Promise<Finding> {
  const before = performance.now();
  try {
    const worker = await GuestWorker.start(spawn());
    const found = `${worker.endpoint.source} started in ${Math.round(performance.now() - before)} ms`;
    worker.terminate();
    return { name: "worker", ok: true, found };
  } catch (error) {
    const found = error instanceof SandboxError ? error.message : String(error);
    return {
      name: "worker",
      ok: false,
      found: found.split(". Usual causes", 1)[0]!,
      fix:
        "put worker.js beside the library's file and let worker-src allow it; on an isolated page it needs the header " +
        "Cross-Origin-Embedder-Policy too; or give `worker: () => new Worker(...)`",
    };
  }
}

/** What one guest can have at most: browsers refuse a maximum that they cannot reserve. */
function memoryFinding(): Finding {
  for (const pages of [65_536, 32_768, 16_384, 4_096, 1_024]) {
    try {
      void new WebAssembly.Memory({ initial: 1, maximum: pages });
      return {
        name: "memory",
        ok: true,
        found: `up to ${(pages * WASM_PAGE_BYTES) / 2 ** 20} MiB a guest`,
      };
    } catch {
      // A smaller one may do.
    }
  }
  return {
    name: "memory",
    ok: false,
    found: "no 64 MiB to be had",
    fix: "close other tabs or guests",
  };
}

async function storageFinding(): Promise<Finding> {
  const name = "persistent files";
  try {
    await navigator.storage.getDirectory();
    return { name, ok: true, found: "OPFS available" };
  } catch {
    return {
      name,
      ok: false,
      found: "no OPFS",
      fix: "needs a secure page (https or localhost) and no private window; files in memory work all the same",
    };
  }
}

function policyFinding(violations: readonly string[]): Finding {
  const name = "Content-Security-Policy";
  if (violations.length === 0) return { name, ok: true, found: "nothing was refused" };
  return {
    name,
    ok: false,
    found: `refused: ${violations.join(", ")}`,
    fix: "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' is enough; Trusted Types: allow `sallyport`",
  };
}

function versionFinding(): Finding {
  const { userAgent } = globalThis.navigator ?? {};
  return {
    name: "versions",
    ok: true,
    found: `sallyport ${VERSION}; ${userAgent ?? "unknown browser"}`,
  };
}

function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .flatMap(({ name, ok, found, fix }) => [
      `${ok ? "ok  " : "look"}  ${name.padEnd(width)}  ${found}`,
      ...(fix ? [`${" ".repeat(width + 8)}→ ${fix}`] : []),
    ])
    .join("\n");
}
