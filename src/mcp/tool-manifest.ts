// toolManifest(): a tool described in a manifest of `kind: Tool`, with its function given by the page; page and Node.

import {
  type ContractTool,
  contractTool,
  type ContractToolDefinition,
  type ToolEntry,
} from "../tools/contract-tool.ts";
import { checkToolManifest } from "./config-validators.generated.ts";
import { type ConfigCheck, type ConfigSource, readConfig } from "./read-config.ts";

/** A parameter of a manifest. */
interface ManifestParameter {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
}

interface ManifestSpec {
  readonly description?: string;
  readonly title?: string;
  readonly parameters?: readonly ManifestParameter[];
  readonly idempotent?: boolean;
  readonly timeout_seconds?: number;
  readonly read_only?: boolean;
  readonly destructive?: boolean;
  readonly open_world?: boolean;
  readonly icons?: readonly Readonly<Record<string, unknown>>[];
  readonly task_support?: "forbidden" | "optional" | "required";
  readonly output_schema?: object;
  readonly meta?: object;
  readonly semantics?: object;
}

interface Manifest {
  readonly metadata: { readonly name: string; readonly description?: string };
  readonly spec: ManifestSpec;
}

/** A manifest that was read. */
export interface ToolManifest {
  readonly name: string;
  /** As `listTools()` will show it. */
  readonly entry: ToolEntry;
  /** The tool, with what it does. Parameters that are absent and have a default are filled in. */
  implement(execute: ContractToolDefinition["execute"]): ContractTool;
}

/**
 * Reads a manifest of `kind: Tool` (`mas/v1`). What it says of an implementation (`impl`) is for other runtimes; here
 * the page gives the function.
 *
 * @throws SandboxError `bad_config` with the place in `data.path`
 * @example
 * const manifest = await toolManifest(yamlText);
 * const registry = toolRegistry([localTools(manifest.implement(async ({ query }) => find(query)))]);
 */
export async function toolManifest(source: ConfigSource): Promise<ToolManifest> {
  const manifest = await readConfig<Manifest>(
    "the tool manifest",
    source,
    checkToolManifest as ConfigCheck,
  );
  const definition = definitionOf(manifest);
  const { name, entry } = contractTool({ ...definition, execute: () => undefined });
  const defaults = (manifest.spec.parameters ?? []).filter((one) => one.default !== undefined);
  return {
    name,
    entry,
    implement: (execute) =>
      contractTool({
        ...definition,
        execute: (args: Record<string, unknown>, context) =>
          execute(filledIn(args, defaults), context),
      }),
  };
}

function filledIn(
  args: Record<string, unknown>,
  defaults: readonly ManifestParameter[],
): Record<string, unknown> {
  const missing = defaults.filter(({ name }) => !Object.hasOwn(args, name));
  return {
    ...args,
    ...Object.fromEntries(missing.map((one) => [one.name, structuredClone(one.default)])),
  };
}

function definitionOf({ metadata, spec }: Manifest): Omit<ContractToolDefinition, "execute"> {
  const { title, idempotent, read_only, destructive, open_world, task_support, output_schema } =
    spec;
  const { icons, meta, semantics, timeout_seconds } = spec;
  const shownIcons = icons?.map(({ mime_type, ...icon }) =>
    mime_type === undefined ? icon : { ...icon, mimeType: mime_type },
  );
  return {
    name: metadata.name,
    description: spec.description ?? metadata.description ?? "",
    parameters: schemaOf(spec.parameters ?? []),
    ...(title === undefined ? {} : { title }),
    // False says nothing about a tool, as the contract has it.
    ...(idempotent === true ? { idempotent } : {}),
    ...(read_only === undefined ? {} : { readOnly: read_only }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(open_world === undefined ? {} : { openWorld: open_world }),
    ...(task_support === undefined ? {} : { taskSupport: task_support }),
    ...(output_schema === undefined ? {} : { outputSchema: output_schema }),
    ...(shownIcons === undefined ? {} : { icons: shownIcons }),
    ...(meta === undefined ? {} : { meta }),
    ...(semantics === undefined ? {} : { semantics }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 }),
  };
}

function schemaOf(parameters: readonly ManifestParameter[]): object {
  const properties = parameters.map(({ name, ...schema }) => {
    // Whether it is required is said beside the properties.
    delete (schema as { required?: boolean }).required;
    return [name, schema] as const;
  });
  const required = parameters.filter((one) => one.required === true).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}
