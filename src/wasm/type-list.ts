// The types of a module by index, kept as bytes until one is asked for; page, worker and Node.
import { FACTS_TYPE_VALUES } from "../limits.ts";
import { ByteReader } from "./byte-reader.ts";
import { FeatureLog } from "./features.ts";
import type { FunctionType } from "./module-facts.ts";
import { readValueType, type ValueType } from "./value-types.ts";

/** A type that is no function, or too long to be told. */
const UNTOLD = -1;

/** Most types are never asked for, and a hostile module can have a million of a thousand parameters each. */
export class TypeList {
  #bytes = new Uint8Array(0);
  /** Where the parameters of each function type begin in the bytes. */
  readonly #starts: number[] = [];
  readonly #told = new Map<number, FunctionType>();

  get length(): number {
    return this.#starts.length;
  }

  /** Keeps a copy of the section that the starts refer to. */
  begin(section: Uint8Array): void {
    this.#bytes = section.slice();
  }

  /** Adds a function type whose checked vectors of parameters and results begin at `start`, or another kind of type. */
  add(start?: number, values = 0): void {
    this.#starts.push(start === undefined || values > FACTS_TYPE_VALUES ? UNTOLD : start);
  }

  /** Undefined when the type is no function, is longer than FACTS_TYPE_VALUES, or does not exist. */
  functionType(index: number): FunctionType | undefined {
    const start = this.#starts[index] ?? UNTOLD;
    if (start === UNTOLD) return undefined;
    let type = this.#told.get(index);
    if (type === undefined) {
      const reader = new ByteReader(this.#bytes, start);
      const log = new FeatureLog();
      type = { params: readVector(reader, log), results: readVector(reader, log) };
      this.#told.set(index, type);
    }
    return type;
  }
}

function readVector(reader: ByteReader, log: FeatureLog): ValueType[] {
  return Array.from({ length: reader.u32() }, () => readValueType(reader, log));
}
