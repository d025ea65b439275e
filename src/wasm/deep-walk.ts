// What of a module is read beyond its facts; apart from the rest, so that loading a module does without it; any realm.
import type { SandboxError } from "../errors.ts";
import { bodyScanner } from "./body-scanner.ts";
import { CodeWalker } from "./code-walker.ts";
import type { ModuleShape } from "./module-shape.ts";
import { SECTION } from "./section-ids.ts";
import type { SectionReader } from "./sections.ts";
import { readDataSection, readElementSection } from "./segment-sections.ts";

/** How far a walk goes. */
export interface DeepWalk {
  /** Further sections that are read. */
  readonly readers: Readonly<Record<number, SectionReader>>;
  /** Custom sections are taken whole, to check their names. */
  readonly wholeCustom: boolean;
  /** Makes the walker of the code section. */
  codeWalker(
    shape: ModuleShape,
    sectionEnd: number,
    onMalformed: (error: SandboxError) => void,
  ): CodeWalker;
}

const codeWalker: DeepWalk["codeWalker"] = (shape, sectionEnd, onMalformed) =>
  new CodeWalker(shape, sectionEnd, bodyScanner(), onMalformed);

/** Walks function bodies, also of a stream: features in code, and `facts.bodies`. */
export const WALK_BODIES: DeepWalk = { readers: {}, wholeCustom: false, codeWalker };

/** Reads everything. For modules in one piece: of a stream it would hold the data section. */
export const WALK_ALL: DeepWalk = {
  readers: { [SECTION.element]: readElementSection, [SECTION.data]: readDataSection },
  wholeCustom: true,
  codeWalker,
};
