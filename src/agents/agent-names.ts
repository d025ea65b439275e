// Names that models' APIs allow, for names that tools have; page and Node.

/** A name by the rules of an API for each tool's name, all different; those that fit already stay. */
export class AgentNames {
  readonly #toAgent = new Map<string, string>();
  readonly #toTool = new Map<string, string>();

  /** @param characters The longest name that the API takes. */
  constructor(names: readonly string[], characters: number) {
    const fits = (name: string) => /^[A-Za-z0-9_-]+$/.test(name) && name.length <= characters;
    const taken = new Set(names.filter(fits));
    for (const name of names) {
      const mapped = fits(name) ? name : freeName(name, characters, taken);
      taken.add(mapped);
      this.#toAgent.set(name, mapped);
      this.#toTool.set(mapped, name);
    }
  }

  /** The name that a model sees. */
  shown(name: string): string {
    return this.#toAgent.get(name) ?? name;
  }

  /** The tool's own name; a name that was not shown stays, so that the registry can say that there is none. */
  own(name: string): string {
    return this.#toTool.get(name) ?? name;
  }
}

function freeName(name: string, characters: number, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, characters) || "tool";
  let candidate = plain;
  for (let number = 2; taken.has(candidate); number++) {
    const suffix = `_${number}`;
    candidate = plain.slice(0, characters - suffix.length) + suffix;
  }
  return candidate;
}
