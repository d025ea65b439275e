// What the benches of a page are given; page.

import type * as Sallyport from "../../../src/index.ts";

export type { Sallyport };

/** The library, and where things are. */
export interface BenchEnv {
  /** The built library. */
  readonly api: typeof Sallyport;
  /** The address of a guest, by name. */
  guest(name: string): string;
  /** The address of a script of the bench, by name. */
  script(name: string): string;
}
