// The sandboxes of one package: one for each bound of memory that its calls ask for; page and Node.

import { SandboxError } from "../errors.ts";
import { MEMORY_BYTES } from "../limits.ts";
import type { Sandbox, SandboxOptions } from "../page/sandbox.ts";

/** Bounds in use at once. A further one takes the place of the one that was not asked for longest. */
const MOST = 4;

/** Compiles the module for a bound when a call first asks for it, and keeps it for the calls to come. */
export class PackageSandboxes {
  readonly #create: (options: SandboxOptions) => Promise<Sandbox>;
  readonly #options: SandboxOptions;
  /** In the order in which they were last asked for. */
  readonly #byBound = new Map<number, Promise<Sandbox>>();
  #closed = false;

  constructor(
    create: (options: SandboxOptions) => Promise<Sandbox>,
    options: SandboxOptions,
  ) {
    this.#create = create;
    this.#options = options;
  }

  /** @throws SandboxError as createSandbox does, and `closed` */
  async get(memoryBytes = MEMORY_BYTES): Promise<Sandbox> {
    if (this.#closed) throw new SandboxError("closed", "the package is closed; load it again");
    const known = this.#byBound.get(memoryBytes);
    const sandbox = known ?? this.#create({ ...this.#options, memoryBytes });
    this.#byBound.delete(memoryBytes);
    this.#byBound.set(memoryBytes, sandbox);
    if (known) return known;
    try {
      const made = await sandbox;
      this.#evict();
      return made;
    } catch (error) {
      if (this.#byBound.get(memoryBytes) === sandbox) this.#byBound.delete(memoryBytes);
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    for (const sandbox of this.#byBound.values()) closeWhenIdle(sandbox, true);
    this.#byBound.clear();
  }

  #evict(): void {
    for (const [bound, sandbox] of this.#byBound) {
      if (this.#byBound.size <= MOST) return;
      this.#byBound.delete(bound);
      closeWhenIdle(sandbox, false);
    }
  }
}
