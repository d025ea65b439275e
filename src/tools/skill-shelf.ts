// Skills as they were read: their entries, texts and files, and paths that must not lead out; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { SKILL_FILE_BYTES } from "../limits.ts";
import { toBase64 } from "../schema/base64.ts";
import type { ToolEntry } from "./contract-tool.ts";
import { envelope, type ToolResultEnvelope } from "./envelope.ts";
import { failedEnvelope, refusal } from "./provider-failure.ts";
import { readFrontMatter } from "./skill-front-matter.ts";
import type { SkillSource } from "./skill-tools.ts";

const DOCUMENT = "SKILL.md";
const PARAMETERS = Object.freeze({
  type: "object",
  properties: Object.freeze({
    file: Object.freeze({
      type: "string",
      description: "A file beside the skill's text, by its path; absent: the text itself",
    }),
  }),
  additionalProperties: false,
});

/** Gives a file of a skill; undefined where there is none. */
interface Folder {
  readonly read: (path: string, signal?: AbortSignal) => Promise<string | Uint8Array | undefined>;
  /** The paths, where they are known. */
  readonly paths: readonly string[] | undefined;
}

interface Skill {
  readonly entry: ToolEntry;
  readonly text: string;
  readonly folder: Folder;
}

function folderOf(source: SkillSource): Folder {
  if (typeof source === "string") return folderOf({ files: { [DOCUMENT]: source } });
  if ("files" in source) {
    const files = new Map(Object.entries(source.files));
    return { read: async (path) => files.get(path), paths: [...files.keys()] };
  }
  const { url, fetch: send = globalThis.fetch.bind(globalThis) } = source;
  return { read: (path, signal) => fetchFile(send, url, path, signal), paths: undefined };
}

/** Skills that were read. */
export interface SkillShelf {
  readonly entries: readonly ToolEntry[];
  /** Never rejects. */
  call(
    name: string,
    file: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ToolResultEnvelope>;
}

/** Reads the documents. @throws SandboxError `bad_config` */
export async function loadShelf(sources: readonly SkillSource[]): Promise<SkillShelf> {
  const skills = await loadSkills(sources.map(folderOf));
  return {
    entries: Array.from(skills.values(), ({ entry }) => entry),
    call: async (name, file, signal) => {
      try {
        const skill = skills.get(name);
        if (skill === undefined) return refusal("unknown_tool", `no skill is named ${name}`, name);
        return await readSkill(skill, file, signal);
      } catch (error) {
        return failedEnvelope(error, name);
      }
    },
  };
}

async function loadSkills(folders: readonly Folder[]): Promise<ReadonlyMap<string, Skill>> {
  const skills = new Map<string, Skill>();
  for (const skill of await Promise.all(folders.map(loadSkill))) {
    if (skills.has(skill.entry.name)) throw broken(`two skills are named ${skill.entry.name}`);
    skills.set(skill.entry.name, skill);
  }
  return skills;
}

async function loadSkill(folder: Folder): Promise<Skill> {
  const document = await folder.read(DOCUMENT);
  if (document === undefined) throw broken("a skill has no SKILL.md");
  const whole = typeof document === "string" ? document : new TextDecoder().decode(document);
  const read = readFrontMatter(whole);
  if (typeof read === "string") throw broken(read);
  const { name, description, text } = read;
  return { entry: entryOf(name, description), text, folder };
}

function entryOf(name: string, description: string): ToolEntry {
  const annotations = Object.freeze({ readOnlyHint: true });
  return Object.freeze({ name, description, parameters: PARAMETERS, read_only: true, annotations });
}

async function readSkill(
  { text, folder, entry }: Skill,
  file: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ToolResultEnvelope> {
  if (file === undefined || file === DOCUMENT) {
    const beside = folder.paths?.filter((path) => path !== DOCUMENT) ?? [];
    return envelope.inline(text, beside.length === 0 ? {} : { metadata: { files: beside } });
  }
  const problem = pathProblem(file);
  if (problem !== undefined) return refusal("invalid_arguments", `file ${problem}`, entry.name);
  const found = await folder.read(file, signal);
  if (found === undefined) {
    const known = folder.paths === undefined ? "" : `; there are: ${folder.paths.join(", ")}`;
    return refusal("tool_error", `the skill has no file ${file}${known}`, entry.name);
  }
  return typeof found === "string" ? envelope.inline(found) : bytesResult(file, found);
}

/** Text where it is text, else a block of content. */
function bytesResult(file: string, bytes: Uint8Array): ToolResultEnvelope {
  try {
    return envelope.inline(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    const type = IMAGES[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
    const data = toBase64(bytes);
    const block =
      type === undefined
        ? { type: "resource", resource: { uri: `skill:${encodeURI(file)}`, blob: data } }
        : { type: "image", data, mimeType: type };
    return envelope.inline(block, { content: [block] });
  }
}

const IMAGES: Readonly<Record<string, string | undefined>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

function pathProblem(path: string): string | undefined {
  if (
    path === "" ||
    path.startsWith("/") ||
    /[\\?#\0]/.test(path) ||
    /^[a-z][a-z0-9+.-]*:/i.test(path)
  ) {
    return "is no path beside the skill";
  }
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    decoded = path;
  }
  const leaves = [path, decoded].some((one) =>
    one.split(/[/\\]/).some((part) => part === ".." || part === "."),
  );
  return leaves ? "leaves the skill's folder" : undefined;
}

async function fetchFile(
  send: typeof fetch,
  url: string | URL,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const base = new URL(url, (globalThis as { location?: { href: string } }).location?.href);
  const target =
    path === DOCUMENT ? base : new URL(path.split("/").map(encodeURIComponent).join("/"), base);
  const response = await send(target, signal === undefined ? {} : { signal });
  if (response.status === 404) return undefined;
  if (!response.ok)
    throw new SandboxError("load_failed", `${target.href} answered ${response.status}`);
  return readCapped(response, target.href);
}

async function readCapped(response: Response, address: string): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.length;
    if (size > SKILL_FILE_BYTES) {
      await reader?.cancel();
      throw new SandboxError("too_large", `${address} has more than ${SKILL_FILE_BYTES} bytes`);
    }
    parts.push(part.value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function broken(message: string): SandboxError {
  return new SandboxError("bad_config", message);
}
