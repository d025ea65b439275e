// skillTools: front matter, texts, files beside them, and paths that must not lead out; Node.

import { describe, expect, test } from "vitest";
import { toolRegistry } from "../../../src/compose/tool-registry.ts";
import { parse } from "yaml";
import { readFrontMatter } from "../../../src/tools/skill-front-matter.ts";
import { skillTools } from "../../../src/tools/skill-tools.ts";
import { serveStatic } from "../../static-server.ts";

const document = (name: string, more = "") => `---
name: ${name}
description: >
  Fills in
  forms.
${more}---

# ${name}
Read forms.md.
`;
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);
const pdf = {
  files: {
    "SKILL.md": document("pdf-forms", "version: 1.0\n"),
    "forms.md": "# Forms",
    "img/a.png": png,
    "raw.bin": png,
  },
};

describe("skillTools", () => {
  test("lists a skill by its front matter, and gives its text and files", async () => {
    const registry = toolRegistry([skillTools([pdf, document("charts")])]);
    expect(await registry.listTools()).toMatchObject([
      {
        name: "pdf-forms",
        description: "Fills in forms.\n",
        read_only: true,
        annotations: { readOnlyHint: true },
      },
      { name: "charts" },
    ]);
    expect(await registry.callTool("pdf-forms", {})).toEqual({
      status: "ok",
      result: "\n# pdf-forms\nRead forms.md.\n",
      metadata: { files: ["forms.md", "img/a.png", "raw.bin"] },
      is_error: false,
      result_mode: "inline",
      execution_mode: "sync",
    });
    expect((await registry.callTool("pdf-forms", { file: "forms.md" })).result).toBe("# Forms");
    expect(await registry.callTool("pdf-forms", { file: "img/a.png" })).toMatchObject({
      content: [{ type: "image", mimeType: "image/png", data: "iVBOR//+" }],
    });
    expect(await registry.callTool("pdf-forms", { file: "raw.bin" })).toMatchObject({
      content: [{ type: "resource", resource: { blob: "iVBOR//+" } }],
    });
    expect(await registry.callTool("pdf-forms", { file: 5 })).toMatchObject({
      type: "ToolArgumentError",
    });
    expect(await registry.callTool("pdf-forms", { file: "none.md" })).toMatchObject({
      is_error: true,
      error: expect.stringMatching("forms.md"),
    });
  });

  test.each([
    "../x",
    "a/../../x",
    "/etc/x",
    "https://example.org/",
    "a\\..\\x",
    "%2e%2e/x",
    "__proto__",
    "?q",
    "",
  ])("the path %j leads nowhere", async (file) => {
    for (const source of [
      pdf,
      { url: "http://127.0.0.1:9/skills/SKILL.md", fetch: onlyDocument },
    ]) {
      const result = await skillTools([source]).callTool("pdf-forms", { file });
      expect(result.is_error).toBe(true);
    }
  });

  test.each([
    ["no front matter", "# hello"],
    ["no name", "---\ndescription: x\n---\n"],
    ["no description", "---\nname: x\n---\n"],
    ["broken YAML", "---\nname: [\n---\n"],
    ["an alias", "---\nname: &a x\ndescription: *a\n---\n"],
    ["a map", "---\nname: x\ndescription: {a: b}\n---\n"],
  ])("says what is wrong with a document with %s", async (_what, text) => {
    await expect(skillTools([text]).listTools()).rejects.toMatchObject({ code: "bad_config" });
  });

  test("two skills of one name are refused, and what is no skill at once", async () => {
    await expect(skillTools([document("a"), document("a")]).listTools()).rejects.toMatchObject({
      code: "bad_config",
    });
    expect(() => skillTools([5 as never])).toThrow(expect.objectContaining({ code: "bad_option" }));
  });

  test("fetches from an address, files only when they are asked for", async () => {
    const server = await serveStatic({
      files: {
        "/s/pdf/SKILL.md": document("pdf-forms"),
        "/s/pdf/a b/c.md": "beside",
        "/s/secret.md": "no",
      },
    });
    try {
      const skills = skillTools([{ url: server.url("/s/pdf/SKILL.md") }]);
      await skills.listTools();
      expect(server.requests).toEqual(["GET /s/pdf/SKILL.md"]);
      expect((await skills.callTool("pdf-forms", { file: "a b/c.md" })) as object).toMatchObject({
        result: "beside",
      });
      expect(await skills.callTool("pdf-forms", { file: "no.md" })).toMatchObject({
        is_error: true,
      });
    } finally {
      await server.close();
    }
  });
});

describe("front matter", () => {
  test.each([
    "plain text, with a comma # and a remark",
    "https://example.org/a#b and more",
    "over\n  several\n\n  lines",
    "'it''s quoted: yes'",
    '"a \\"double\\" one \\u00e9" # remark',
    '"over\n  lines"',
    ">\n  folded\n  text\n\n  and more",
    ">-\n    deeper\n    text",
    "|\n  literal\n    text\n  end",
    "|-\n  literal",
    "text\nmetadata:\n  author: x\n  tags: [a, b]\nallowed-tools: Bash",
  ])("is read as YAML reads it: %j", (value) => {
    const head = `name: n\ndescription: ${value}`;
    const read = readFrontMatter(`---\n${head}\n---\nbody`);
    const { description } = parse(`${head}\n`) as { description: string };
    expect(read).toEqual({ name: "n", description, text: "body" });
  });
});

const onlyDocument: typeof fetch = async (input) => {
  const address = input instanceof Request ? input.url : String(input);
  if (!address.startsWith("http://127.0.0.1:9/skills/")) throw new Error(`asked for ${address}`);
  return address.endsWith("SKILL.md")
    ? new Response(document("pdf-forms"))
    : new Response("", { status: 404 });
};
