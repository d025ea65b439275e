// The fenced blocks, headings and links of README.md and docs/*.md, for the tests that hold the pages to what they say; Node.

import { readdirSync, readFileSync } from "node:fs";

export const root = new URL("../../../", import.meta.url).pathname;

/** A page of documentation. */
export interface DocPage {
  /** From the root, such as `docs/http.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly DocBlock[];
}

/** A fenced block: ```js run. */
export interface DocBlock {
  /** Where it begins, as `docs/http.md:41`. */
  readonly place: string;
  readonly language: string;
  /** Further words of the fence: `run`, `node`. */
  readonly words: readonly string[];
  readonly code: string;
  /** The ```text block that follows at once: what the example prints. */
  readonly output?: string;
}

/** All pages there are. */
export function readDocs(): DocPage[] {
  const names = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
  return ["README.md", ...names.map((name) => `docs/${name}`)].map((path) => {
    const text = readFileSync(`${root}${path}`, "utf8");
    return { path, text, blocks: blocksOf(path, text) };
  });
}

function blocksOf(path: string, text: string): DocBlock[] {
  const fences = [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)];
  return fences.map((fence, at) => {
    const [language = "", ...words] = fence[1]!.trim().split(/\s+/);
    const next = fences[at + 1];
    const end = fence.index + fence[0].length;
    const follows = next?.[1] === "text" && text.slice(end, next.index).trim() === "";
    return {
      place: `${path}:${text.slice(0, fence.index).split("\n").length}`,
      language,
      words,
      code: fence[2]!,
      ...(follows ? { output: next[2]! } : {}),
    };
  });
}

/** What an example says that it prints, one text for each console.log: beside it, or on the lines below. */
export function promised({ code }: DocBlock): string[] {
  const logs = code.matchAll(/console\.log\((?:.*)\);(?: *\/\/ (.*)|\n((?: *\/\/.*\n)+))/g);
  return [...logs].map(
    ([, beside, below]) => beside ?? below!.replaceAll(/^ *\/\/ ?/gm, "").trimEnd(),
  );
}

/** The text of a page without its blocks. */
export function prose({ text }: DocPage): string {
  return text.replaceAll(/^```[^]*?^```$/gm, "");
}

/** The anchors that a page's headings have. */
export function anchors(page: DocPage): string[] {
  return [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 _-]/g, "")
      .replaceAll(" ", "-"),
  );
}
