// The features of WebAssembly that the reader tells apart, and a log of where each was seen; page, worker and Node.

/** Part of WebAssembly 2.0, beyond the first version. */
export const STANDARD_FEATURES = [
  "sign_extension",
  "saturating_float_to_int",
  "multi_value",
  "reference_types",
  "bulk_memory",
  "simd",
] as const;

/** Newer than WebAssembly 2.0, or never standard. */
export const LATER_FEATURES = [
  "threads",
  "shared_memory",
  "exceptions",
  "legacy_exceptions",
  "exnref",
  "tail_calls",
  "memory64",
  "table64",
  "multi_memory",
  "relaxed_simd",
  "gc",
  "typed_function_references",
  "extended_const",
  "wide_arithmetic",
  "custom_page_sizes",
  "stack_switching",
  "memory_control",
  "half_precision",
  "shared_everything",
  "custom_descriptors",
] as const;

export type StandardFeature = (typeof STANDARD_FEATURES)[number];
export type LaterFeature = (typeof LATER_FEATURES)[number];
/** A feature of WebAssembly by name. */
export type Feature = StandardFeature | LaterFeature;

/** Names by number; 0 is the first version of WebAssembly, which needs no name. */
export const FEATURE_NAMES: readonly ("" | Feature)[] = [
  "",
  ...STANDARD_FEATURES,
  ...LATER_FEATURES,
];

/** Numbers by name, for the tables of the opcode walk. */
export const FEATURE: Readonly<Record<Feature, number>> = Object.fromEntries(
  FEATURE_NAMES.slice(1).map((name, index) => [name, index + 1]),
) as Record<Feature, number>;

/** That a module uses a feature; of one newer than WebAssembly 2.0 also where first, and how often. */
export interface FeatureUse {
  readonly feature: Feature;
  /** Part of WebAssembly 2.0. */
  readonly standard: boolean;
  readonly count?: number;
  /** Offset in the module of the first use. */
  readonly offset?: number;
  /** Function of the first use, imported functions counted; absent outside function bodies. */
  readonly functionIndex?: number;
}

/** Counts uses and keeps the first of each feature; numbers only, because the opcode walk calls it. */
export class FeatureLog {
  readonly #count = new Uint32Array(FEATURE_NAMES.length);
  readonly #offset = new Float64Array(FEATURE_NAMES.length);
  readonly #function = new Int32Array(FEATURE_NAMES.length);
  /** Function whose body is being walked; -1 outside. */
  functionIndex = -1;

  note(feature: number, offset: number): void {
    const count = this.#count[feature] as number;
    if (count === 0) {
      this.#offset[feature] = offset;
      this.#function[feature] = this.functionIndex;
    }
    this.#count[feature] = count + 1;
  }

  /** Notes standard features by the bits of their numbers. */
  noteStandard(bits: number): void {
    for (let feature = 1; feature <= STANDARD_FEATURES.length; feature++) {
      if ((bits & (1 << feature)) !== 0) this.note(feature, 0);
    }
  }

  uses(): FeatureUse[] {
    return FEATURE_NAMES.flatMap((_, number) =>
      (this.#count[number] as number) === 0 || number === 0 ? [] : [this.#use(number)],
    );
  }

  #use(number: number): FeatureUse {
    const feature = FEATURE_NAMES[number] as Feature;
    if (number <= STANDARD_FEATURES.length) return { feature, standard: true };
    const functionIndex = this.#function[number] as number;
    return {
      feature,
      standard: false,
      count: this.#count[number] as number,
      offset: this.#offset[number] as number,
      ...(functionIndex < 0 ? {} : { functionIndex }),
    };
  }
}
