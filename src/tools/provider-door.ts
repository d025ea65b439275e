// Tools of the contract offered to guests: names and properties mapped where the door is stricter; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { type ContractTool, doorTool, type ToolEntry } from "./contract-tool.ts";
import { envelopeText, type ToolResultEnvelope } from "./envelope.ts";
import { wholeEnvelope } from "./envelope-whole.ts";
import { propertyNameProblem, toolNameProblem } from "./names.ts";
import { kindOfType } from "./provider-failure.ts";
import { type Tool, tool } from "./tool.ts";
import { ToolError } from "./tool-error.ts";

/** Tools that a guest may call. */
export interface DoorOffer {
  /** For `run({ tools })` and `createToolDoor`. */
  readonly tools: readonly Tool[];
  /** The contract's name of each, by the name that the guest uses. */
  readonly names: ReadonlyMap<string, string>;
  /** Why a tool is not offered, by its name. */
  readonly problems: ReadonlyMap<string, SandboxError>;
}

/** Longest name of the tool protocol. */
const NAME_CHARACTERS = 64;

/** Offers tools of the page; a schema outside the tool protocol is a problem. */
export function offerToDoor(given: readonly (Tool | ContractTool)[]): DoorOffer {
  const names = doorNames(given.map(({ name }) => name));
  return offer(
    given,
    ({ name }) => name,
    (made) => {
      const { name } = made;
      const mapped = names.get(name) as string;
      if (mapped === name) return { name, tool: doorTool(made) };
      const { entry, execute, timeoutMs } = made as ContractTool;
      const door = tool({
        name: mapped,
        description: entry.description,
        inputSchema: entry.parameters,
        execute: (args: unknown, context) => execute(args, { ...contextOf(context), name }),
        ...(entry.annotations ? { annotations: entry.annotations } : {}),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      return { name, tool: door };
    },
  );
}

/** A context's signal stays lazy: most tools never look at it. */
function contextOf(context: { readonly signal: AbortSignal }): { readonly signal: AbortSignal } {
  return {
    get signal() {
      return context.signal;
    },
  };
}

/**
 * Offers whatever a registry lists. Arguments are checked by the registry, so a schema may say more than the tool
 * protocol can; where the door could not even read it, any object passes the door.
 */
export function offerEntries(
  entries: readonly ToolEntry[],
  call: (name: string, args: unknown, signal: AbortSignal) => Promise<ToolResultEnvelope>,
): DoorOffer {
  const names = doorNames(entries.map(({ name }) => name));
  return offer(
    entries,
    ({ name }) => name,
    (entry) => {
      const { properties, schema } = guestSchema(entry.parameters);
      const execute = async (args: Record<string, unknown>, context: { signal: AbortSignal }) =>
        valueOf(
          await wholeEnvelope(
            await call(entry.name, renamed(args, properties), context.signal),
            entry.name,
            context.signal,
          ),
        );
      const common = {
        name: names.get(entry.name) as string,
        description: entry.description,
        execute,
        validatesInput: true,
        timeoutMs: Infinity, // the registry has its own limit
        ...(entry.annotations ? { annotations: entry.annotations } : {}),
      };
      try {
        return { name: entry.name, tool: tool({ ...common, inputSchema: schema }) };
      } catch (error) {
        if (!(error instanceof SandboxError)) throw error;
        return { name: entry.name, tool: tool({ ...common, inputSchema: { type: "object" } }) };
      }
    },
  );
}

function offer<T>(
  given: readonly T[],
  nameOf: (one: T) => string,
  make: (one: T) => { readonly name: string; readonly tool: Tool },
): DoorOffer {
  const tools: Tool[] = [];
  const names = new Map<string, string>();
  const problems = new Map<string, SandboxError>();
  for (const one of given) {
    try {
      const made = make(one);
      tools.push(made.tool);
      names.set(made.tool.name, made.name);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      problems.set(nameOf(one), error);
    }
  }
  return { tools, names, problems };
}

/** A name of the tool protocol for each name, all different; those that fit already stay. */
export function doorNames(names: readonly string[]): ReadonlyMap<string, string> {
  return mapNames(names, (name) => toolNameProblem(name) === undefined, NAME_CHARACTERS);
}

function mapNames(
  names: readonly string[],
  fits: (name: string) => boolean,
  characters: number,
): ReadonlyMap<string, string> {
  const taken = new Set(names.filter(fits));
  const mapped = new Map<string, string>();
  for (const name of names) {
    if (fits(name)) {
      mapped.set(name, name);
      continue;
    }
    const plain = name.replace(/[^A-Za-z0-9_]/g, "_");
    const base = (/^[A-Za-z]/.test(plain) ? plain : `t_${plain}`).slice(0, characters);
    let candidate = base;
    for (let number = 1; taken.has(candidate) || !fits(candidate); number++) {
      const suffix = number === 1 ? "_" : `_${number}`;
      candidate = base.slice(0, characters - suffix.length) + suffix;
    }
    taken.add(candidate);
    mapped.set(name, candidate);
  }
  return mapped;
}

/** A schema whose top properties a Python guest can write, and their own names by those. */
function guestSchema(schema: ToolEntry["parameters"]): {
  readonly schema: Record<string, unknown>;
  readonly properties: ReadonlyMap<string, string>;
} {
  const { $schema: _, ...rest } = schema;
  const { properties, required, additionalProperties = true } = rest;
  const own: Record<string, unknown> = { ...rest, type: "object", additionalProperties };
  if (typeof properties !== "object" || properties === null)
    return { schema: own, properties: new Map() };
  const fits = (name: string) => propertyNameProblem(name) === undefined;
  const names = mapNames(Object.keys(properties), fits, NAME_CHARACTERS);
  own["properties"] = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [names.get(name) as string, member]),
  );
  if (Array.isArray(required)) {
    own["required"] = required.map((name: string) => names.get(name) ?? name);
  }
  return {
    schema: own,
    properties: new Map(Array.from(names, ([name, mapped]) => [mapped, name])),
  };
}

function renamed(args: Record<string, unknown>, names: ReadonlyMap<string, string>): unknown {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [names.get(key) ?? key, value]),
  );
}

/** What the guest gets of an envelope; a failure is thrown with the text that a model would read. */
function valueOf(given: ToolResultEnvelope): unknown {
  if (given.is_error) throw new ToolError(envelopeText(given), kindOfType(given.type));
  return given.result ?? null;
}
