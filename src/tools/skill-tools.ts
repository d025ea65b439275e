// skillTools(): SKILL.md documents as tools that give their text and the files beside it; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { errorEnvelope } from "./envelope.ts";
import type { CallOptions, ToolProvider } from "./provider.ts";
import type { SkillShelf } from "./skill-shelf.ts";

/** A skill: its document and the files beside it, at hand or at an address. */
export type SkillSource =
  /** The text of a SKILL.md. */
  | string
  | {
      /** By path from the skill's folder; `SKILL.md` is one of them. */
      readonly files: Readonly<Record<string, string | Uint8Array>>;
    }
  | {
      /** The address of a SKILL.md; files beside it are fetched when they are asked for. */
      readonly url: string | URL;
      readonly fetch?: typeof fetch;
    };

/**
 * Makes a provider of skills. Each is listed with the name and description of its front matter; called, it gives its
 * text, or the file that `file` names.
 *
 * @throws SandboxError `bad_option`; listing rejects with `bad_config` for a document without name or description
 * @example
 * const skills = skillTools([{ files: { "SKILL.md": text, "forms.md": forms } }, { url: "/skills/charts/SKILL.md" }]);
 * await skills.callTool("pdf-forms", { file: "forms.md" });
 */
export function skillTools(sources: Iterable<SkillSource>): ToolProvider {
  const given = [...sources];
  for (const source of given) if (!isSource(source)) throw wrongSource();
  let loading: Promise<SkillShelf> | undefined;
  const load = (): Promise<SkillShelf> => {
    if (loading === undefined) {
      loading = import("./skill-shelf.ts").then(({ loadShelf }) => loadShelf(given));
      loading.catch(() => (loading = undefined));
    }
    return loading;
  };
  return {
    name: "skills",
    callOptions: ["signal"],
    listTools: async () => (await load()).entries,
    callTool: async (name, args, { signal }: CallOptions = {}) => {
      try {
        return await (await load()).call(name, args["file"] as string | undefined, signal);
      } catch (error) {
        const { name: type, message } = error as Error;
        return errorEnvelope({ type, message }, name);
      }
    },
    invalidate: () => (loading = undefined),
  };
}

function isSource(source: unknown): source is SkillSource {
  if (typeof source === "string") return true;
  if (typeof source !== "object" || source === null) return false;
  const { files, url } = source as { files?: unknown; url?: unknown };
  return (
    (typeof files === "object" && files !== null) || typeof url === "string" || url instanceof URL
  );
}

function wrongSource(): SandboxError {
  return new SandboxError(
    "bad_option",
    "a skill is the text of a SKILL.md, or an object with files or url",
  );
}
