// loadPackage(): from a file to a package that can be called; page and Node.

import { SandboxError } from "../errors.ts";
import { fetchBytes } from "../files/fetch-bytes.ts";
import type { ArchiveSource } from "../files/image.ts";
import { discover } from "../package/discover.ts";
import { refuseProblems } from "../package/refuse-problems.ts";
import { readPackage } from "../package/read-package.ts";
import { RequestMaker } from "../package/requests.ts";
import { createSandbox } from "../page/create-sandbox.ts";
import { digest } from "../page/digest-of.ts";
import { checkIntegrity } from "../page/integrity.ts";
import type { SandboxOptions } from "../page/sandbox-options.ts";
import { untilAborted } from "../page/until-aborted.ts";
import { VERSION } from "../version.ts";
import { discoveredOnce } from "./discovered.ts";
import { FunctionPackage, stderrListener } from "./function-package.ts";
import { guestRunner } from "./package-guest.ts";
import { PackageMounts } from "./package-mounts.ts";
import { checkLoadOptions, type PackageOptions } from "./package-options.ts";
import { PackageSandboxes } from "./package-sandboxes.ts";

/**
 * Loads a function package: a WebAssembly module that is an MCP server, or an archive (zip, tar.gz) of one. The module is
 * inspected, compiled once, and asked for its tools, which takes at most 10 seconds and is done once for the same file.
 *
 * Rejects with SandboxError `bad_package` (the module, the manifest or a tool breaks ABI 1; `data` says which limit, or
 * has all problems of the module), `bad_archive`, `quota`, `load_failed`, `integrity_mismatch`, `bad_option`,
 * `too_large`, `compile_failed`, `worker_failed`, `unsupported`, `aborted`; with PackageCrash when it crashed while it
 * was asked.
 *
 * @example
 * const greet = await loadPackage("/packages/greet.wasm");
 * const { content } = await greet.call("greet", { name: "Ada" });
 */
export async function loadPackage(
  source: ArchiveSource,
  options: PackageOptions = {},
): Promise<FunctionPackage> {
  const presets = checkLoadOptions(options);
  const { signal, onProgress, integrity } = options;
  if (signal?.aborted) throw aborted(signal);
  const bytes = await fetchBytes(source, {
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  });
  await checkIntegrity(integrity, bytes);
  const { module, manifest, assets } = await readPackage(bytes);
  await refuseProblems(module);
  const name = manifest?.name ?? nameOf(source);
  const requests = new RequestMaker({ name: "sallyport", version: VERSION });
  const mounts = new PackageMounts(assets);
  const sandboxes = new PackageSandboxes(
    options.createSandbox ?? createSandbox,
    sandboxOptions(module, options),
  );
  try {
    const digestOfFile = await digestText(bytes);
    const ask = () =>
      sandboxes.use(options.memoryBytes, (sandbox) =>
        discover({
          runGuest: guestRunner({
            sandbox,
            name,
            preopens: mounts.discovery(),
            ...(signal ? { signal } : {}),
          }),
          requests,
          canWait: sandbox.transport !== "none",
          ...withListener(options.onStderr),
        }),
      );
    // Another load of the same file may be the one that asks, and this signal does not stop that.
    const asking = untilAborted(discoveredOnce(digestOfFile, ask), signal);
    const tools = await asking.catch((cause: unknown) => {
      throw signal?.aborted ? aborted(signal) : cause;
    });
    const validateArguments = options.validateArguments === true;
    const parts = {
      name,
      manifest,
      digest: digestOfFile,
      tools,
      requests,
      mounts,
      sandboxes,
      presets,
    };
    return new FunctionPackage({ ...parts, validateArguments });
  } catch (error) {
    sandboxes.close();
    throw error;
  }
}

function aborted({ reason }: AbortSignal): SandboxError {
  return new SandboxError("aborted", "aborted", { cause: reason as unknown });
}

function withListener(tell: PackageOptions["onStderr"]): {
  onStderr?: (bytes: Uint8Array) => void;
} {
  const onStderr = stderrListener(tell);
  return onStderr ? { onStderr } : {};
}

function sandboxOptions(
  module: Uint8Array<ArrayBuffer>,
  { maxGuests, maxQueued, worker, transport }: PackageOptions,
): SandboxOptions {
  return {
    module,
    ...(maxGuests === undefined ? {} : { maxGuests }),
    ...(maxQueued === undefined ? {} : { maxQueued }),
    ...(worker === undefined ? {} : { worker }),
    ...(transport === undefined ? {} : { transport }),
  };
}

/** As in Subresource Integrity; undefined on pages without https, where the browser computes none. */
async function digestText(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  const found = await digest("SHA-256", bytes);
  return found && `sha256-${btoa(String.fromCharCode(...found))}`;
}

/** The file's name without its ending. */
function nameOf(source: ArchiveSource): string {
  const address = source instanceof Response ? source.url : source;
  if (typeof address !== "string" && !(address instanceof URL)) return "package";
  const file = String(address).split(/[?#]/, 1)[0]!.split("/").at(-1)!;
  return file.replace(/\.(wasm|zip|tar\.gz|tgz)$/i, "") || "package";
}
