// The sandboxes of one package: one for each bound of memory that its calls ask for; page and Node.

import { SandboxError } from "../errors.ts";
import { MEMORY_BYTES } from "../limits.ts";
import type { Sandbox } from "../page/sandbox.ts";
import type { SandboxOptions } from "../page/sandbox-options.ts";

/** Bounds kept. A further one takes the place of the one that was not asked for longest. */
const MOST = 4;

interface Kept {
  readonly sandbox: Promise<Sandbox>;
  /** Calls under way. */
  users: number;
  dropped: boolean;
}

/** Compiles the module for a bound when a call first asks for it, and keeps it for the calls to come. */
export class PackageSandboxes {
  readonly #create: (options: SandboxOptions) => Promise<Sandbox>;
  readonly #options: SandboxOptions;
  /** In the order in which they were last asked for. */
  readonly #byBound = new Map<number, Kept>();
  #closed = false;

  constructor(create: (options: SandboxOptions) => Promise<Sandbox>, options: SandboxOptions) {
    this.#create = create;
    this.#options = options;
  }

  /** Does something with the sandbox of a bound. @throws SandboxError as createSandbox does, and `closed` */
  async use<T>(
    memoryBytes: number | undefined,
    work: (sandbox: Sandbox) => Promise<T>,
  ): Promise<T> {
    if (this.#closed) throw new SandboxError("closed", "the package is closed; load it again");
    const kept = this.#keep(memoryBytes ?? MEMORY_BYTES);
    kept.users++;
    try {
      return await work(await kept.sandbox);
    } finally {
      kept.users--;
      closeUnused(kept);
    }
  }

  /** Stops every call, and ends the workers. */
  close(): void {
    this.#closed = true;
    for (const { sandbox } of this.#byBound.values()) close(sandbox);
    this.#byBound.clear();
  }

  #keep(bound: number): Kept {
    const known = this.#byBound.get(bound);
    const kept = known ?? {
      sandbox: this.#create({ ...this.#options, memoryBytes: bound }),
      users: 0,
      dropped: false,
    };
    if (known && this.#byBound.size === 1) return kept;
    this.#byBound.delete(bound);
    this.#byBound.set(bound, kept);
    if (known) return kept;
    kept.sandbox.catch(() => {
      if (this.#byBound.get(bound) === kept) this.#byBound.delete(bound);
    });
    if (this.#byBound.size > MOST) this.#drop();
    return kept;
  }

  #drop(): void {
    const [bound, oldest] = this.#byBound.entries().next().value!;
    this.#byBound.delete(bound);
    oldest.dropped = true;
    closeUnused(oldest);
  }
}

function closeUnused({ dropped, users, sandbox }: Kept): void {
  if (dropped && users === 0) close(sandbox);
}

function close(sandbox: Promise<Sandbox>): void {
  sandbox.then(
    (made) => made.close(),
    () => {}, // it was never made, and whoever waited for it knows
  );
}
