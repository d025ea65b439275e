// A loaded package: its tools, and its calls, each in a fresh instance; page and Node.

import { SandboxError } from "../errors.ts";
import { VolumeContent } from "../files/volume-content.ts";
import { withImages, type PackageResult } from "../package/call-result.ts";
import { callTool, toolRequest } from "../package/call-tool.ts";
import type { PackageManifest } from "../package/manifest.ts";
import { failureEnvelope, resultEnvelope, toolEntries } from "../package/provider.ts";
import type { Request, RequestMaker } from "../package/requests.ts";
import type { PackageTool } from "../package/tool-listing.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import type { ToolResultEnvelope } from "../tools/envelope.ts";
import type { CallOptions, ToolProvider } from "../tools/provider.ts";
import type { LeftTree } from "../wire/messages.ts";
import { guestRunner } from "./package-guest.ts";
import type { PackageMounts } from "./package-mounts.ts";
import { checkCallOptions, type CheckedCall, type PackageCallOptions } from "./package-options.ts";
import type { PackageSandboxes } from "./package-sandboxes.ts";

/** What `loadPackage` makes a package of. */
export interface FunctionPackageParts {
  readonly name: string;
  readonly manifest: PackageManifest | undefined;
  readonly digest: string | undefined;
  readonly tools: readonly PackageTool[];
  readonly requests: RequestMaker;
  readonly mounts: PackageMounts;
  readonly sandboxes: PackageSandboxes;
  readonly presets: PackageCallOptions;
  readonly validateArguments: boolean;
}

/** A function package, ready to be called any number of times. Also a provider for `toolRegistry`. */
export class FunctionPackage implements ToolProvider {
  /** The manifest's name, else the file's; argv[0] of the guest. */
  readonly name: string;
  /** What subako-package.json says; undefined for a bare module. */
  readonly manifest: PackageManifest | undefined;
  /** SHA-256 of the file, as in Subresource Integrity; undefined on pages without https. */
  readonly digest: string | undefined;
  /** Its tools with all that they say of themselves. */
  readonly tools: readonly PackageTool[];
  readonly callOptions = ["timeoutMs", "signal", "meta"] as const;
  /** ABI 1 leaves the checking of arguments to the package, unless `validateArguments` was asked for. */
  readonly checksArguments: boolean;
  readonly #parts: FunctionPackageParts;

  /** Not for callers: `loadPackage()` makes packages. */
  constructor(parts: FunctionPackageParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.manifest = parts.manifest;
    this.digest = parts.digest;
    this.tools = parts.tools;
    this.checksArguments = !parts.validateArguments;
  }

  /**
   * Calls a tool in a fresh instance and gives MCP's CallToolResult; a failure that the function reports has `isError`.
   *
   * Rejects with PackageCrash when the function crashed; with SandboxError `unknown_tool`, `bad_option`, `too_large`,
   * `aborted`, `closed`, `resource_exhausted`, `unsupported`, and with `quota` when the volume cannot keep what it wrote.
   *
   * @example
   * const { content, structuredContent, isError } = await greet.call("greet", { name: "Ada" }, { timeoutMs: 5_000 });
   */
  async call(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: PackageCallOptions = {},
  ): Promise<PackageResult> {
    const call = checkCallOptions(this.#parts.presets, options);
    if (!this.tools.some((tool) => tool.name === name)) throw unknownTool(name, this.tools);
    const meta = call.meta === undefined ? {} : { meta: call.meta };
    const request = toolRequest(this.#parts.requests, { name, args, ...meta });
    if (call.signal?.aborted) {
      throw new SandboxError("aborted", "the call was aborted", { cause: call.signal.reason });
    }
    if (!call.volume) return (await this.#run(request, call, VolumeContent.empty)).value;
    return call.volume.use(call.signal, (content) => this.#run(request, call, content));
  }

  /** The contract's entries: `parameters` are the input schemas. What tools answer is not in them; see `tools`. */
  listTools(): readonly ToolEntry[] {
    return toolEntries(this.tools);
  }

  /** The same as `call`, by the contract: an envelope, and nothing thrown. A crash tells the last of its stderr. */
  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<ToolResultEnvelope> {
    try {
      const { timeoutMs, signal, meta } = options;
      const own = Object.entries({ timeoutMs, signal, meta });
      const set = own.filter(([, value]) => value !== undefined);
      return resultEnvelope(await this.call(name, args, Object.fromEntries(set)));
    } catch (error) {
      return failureEnvelope(error, name);
    }
  }

  /** Stops every call under way (`closed`), and ends the workers. */
  close(): void {
    this.#parts.sandboxes.close();
  }

  /** Runs one call on a volume's content; what it holds afterwards comes with the result. */
  #run(
    request: Request,
    call: CheckedCall,
    content: VolumeContent,
  ): Promise<{ value: PackageResult; next: VolumeContent }> {
    const { mounts, sandboxes, name } = this.#parts;
    const withData = call.volume !== undefined && call.data !== false;
    const preopens = mounts.call(content, withData, call.skills);
    return sandboxes.use(call.memoryBytes, async (sandbox) => {
      let trees: readonly LeftTree[] = [];
      const runGuest = guestRunner({
        sandbox,
        name,
        preopens,
        ...(call.network ? { network: call.network } : {}),
        ...(call.http ? { http: call.http } : {}),
        ...(call.signal ? { signal: call.signal } : {}),
        onTrees: (left) => {
          trees = left;
        },
      });
      const result = await callTool(
        runGuest,
        request,
        call.timeoutMs,
        stderrListener(call.onStderr),
      );
      const next = content.after(trees);
      // What the package was not given, it cannot show either.
      const readFile = (names: readonly string[]) =>
        names[0] === "data" && !withData ? undefined : fileOf(next, names);
      return { value: withImages(result, readFile), next };
    });
  }
}

function fileOf(content: VolumeContent, names: readonly string[]): Uint8Array | undefined {
  const entry = content.get(names.join("/"));
  return entry?.type === "file" ? entry.bytes : undefined;
}

/** Text for people; a character may come in two pieces. */
export function stderrListener(
  tell: ((text: string) => void) | undefined,
): ((bytes: Uint8Array) => void) | undefined {
  if (!tell) return undefined;
  const decoder = new TextDecoder();
  return (bytes) => tell(decoder.decode(bytes, { stream: true }));
}

function unknownTool(name: string, tools: readonly PackageTool[]): SandboxError {
  const names = tools.map((tool) => tool.name);
  return new SandboxError(
    "unknown_tool",
    `the package has no tool ${JSON.stringify(name)}; it has ${names.join(", ")}`,
    { data: { tools: names } },
  );
}
