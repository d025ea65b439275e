// The guest's descriptors by number; the lowest free number is given next; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { Descriptor } from "./descriptor.ts";

/**
 * Descriptors of a run. The shim's WASI class would keep such a list too, but all of its imports are replaced here, and
 * nothing but that list would be left of the 18 KB that it takes.
 */
export class DescriptorTable {
  #slots: (Descriptor | undefined)[] = [];
  /** How many may be open at once. */
  limit = 0;
  #open = 0;
  #lowest = 0;

  /** Forgets all descriptors: their run is over. */
  empty(): void {
    this.#slots = [];
    this.#open = 0;
    this.#lowest = 0;
  }

  get(number: number): Descriptor | undefined {
    return this.#slots[number];
  }

  /** Is there room for one more? */
  get full(): boolean {
    return this.#open >= this.limit;
  }

  /** Gives a descriptor the lowest free number; the caller has seen that there is room. */
  add(descriptor: Descriptor): number {
    while (this.#slots[this.#lowest] !== undefined) this.#lowest++;
    const number = this.#lowest++;
    this.#slots[number] = descriptor;
    this.#open++;
    return number;
  }

  /** Closes a descriptor; gives an errno. */
  close(number: number): number {
    const descriptor = this.#slots[number];
    if (descriptor === undefined) return wasi.ERRNO_BADF;
    this.#slots[number] = undefined;
    this.#open--;
    if (number < this.#lowest) this.#lowest = number;
    descriptor.close();
    return wasi.ERRNO_SUCCESS;
  }

  /** Moves a descriptor to the number of another, which is closed; gives an errno. */
  renumber(from: number, to: number): number {
    const descriptor = this.#slots[from];
    if (descriptor === undefined || this.#slots[to] === undefined) return wasi.ERRNO_BADF;
    if (from === to) return wasi.ERRNO_SUCCESS;
    this.close(to);
    this.#slots[to] = descriptor;
    this.#slots[from] = undefined;
    // close() has counted `to` as free and its number as the lowest; both numbers are settled again here.
    this.#lowest = Math.min(this.#lowest, from);
    return wasi.ERRNO_SUCCESS;
  }
}
