// The page's half of @sallyport/python: which wheels are taken, what is said of the others, the folder they make; Node.

import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { acceptsVersion } from "../../../guests/python/page/python-version.js";
import { readWheel, wheelFolder, type WheelError } from "../../../guests/python/page/wheels.js";

const METADATA = "Metadata-Version: 2.1\nName: Pure.Thing\nVersion: 1.0\n";
const fileName = "pure_thing-1.0-py3-none-any.whl";

function wheelBytes({
  files = { "pure_thing/__init__.py": "WHO = 1", "pure_thing/inner/deep.py": "" },
  metadata = METADATA,
}: { files?: Record<string, string>; metadata?: string } = {}): Uint8Array<ArrayBuffer> {
  const info = "pure_thing-1.0.dist-info";
  const texts = {
    ...files,
    [`${info}/METADATA`]: metadata,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\n",
  };
  const entries = Object.entries(texts).map(([path, text]) => [path, strToU8(text)]);
  return new Uint8Array(zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>));
}

const refusal = (promise: Promise<unknown>): Promise<WheelError> =>
  promise.then(
    () => {
      throw new Error("it was taken");
    },
    (error: WheelError) => error,
  );

describe("readWheel", () => {
  test("says what a wheel is, brings and needs", async () => {
    const metadata = `${METADATA}Requires-Dist: Other_Thing>=2\nRequires-Dist: more; extra == "x"\nRequires-Python: >=3.8\n\nName: no header\n`;
    const files = {
      "pure_thing/__init__.py": "",
      "single.py": "",
      "space/part.py": "",
      "a-b/__init__.py": "",
    };
    const wheel = await readWheel(wheelBytes({ files, metadata }), { fileName });
    expect(wheel).toMatchObject({
      fileName,
      name: "Pure.Thing",
      version: "1.0",
      modules: ["pure_thing", "single"],
      requires: ["other-thing"],
    });
  });

  test("takes files and answers, by their names", async () => {
    const bytes = wheelBytes();
    const again = new File([bytes], "pure_thing-1.0-py3-none-any (1).whl");
    expect((await readWheel(again)).fileName).toBe(fileName);
    const answer = new Response(bytes);
    Object.defineProperty(answer, "url", { value: `https://example.org/a/${fileName}?x#y` });
    const wheel = await readWheel(answer);
    expect(wheel.fileName).toBe(fileName);
    expect(wheel.bytes).toEqual(bytes);
    expect((await readWheel(bytes.buffer, { fileName })).modules).toEqual(["pure_thing"]);
  });

  test.each([
    ["notes.txt", "not_a_wheel", /^notes\.txt is not a wheel: those are named like/],
    ["thing-1.0.tar.gz", "not_a_wheel", /is an archive of sources/],
    ["a/b-1.0-py3-none-any.whl", "not_a_wheel", /is not a wheel/],
    ["", "not_a_wheel", /^This is not a wheel/],
    [
      "x-1.0-cp311-cp311-manylinux_2_17_x86_64.whl",
      "native_code",
      /is made for manylinux_2_17_x86_64\. Native/,
    ],
    ["x-1.0-cp311-abi3-any.whl", "native_code", /is made for abi3\. Native/],
    ["x-1.0-py2-none-any.whl", "wrong_python", /is for py2, and this is Python 3\.11\.$/],
    ["x-1.0-py312-none-any.whl", "wrong_python", /is for py312/],
    ["x-1.0-cp310-none-any.whl", "wrong_python", /is for cp310/],
  ])("refuses %j by its name: %s", async (name, code, message) => {
    const error = await refusal(readWheel(wheelBytes(), { fileName: name }));
    expect(error).toMatchObject({ name: "WheelError", code, fileName: name });
    expect(error.message).toMatch(message);
  });

  test.each([
    ["x-1.0-py2.py3-none-any.whl", "3.11"],
    ["x-1.0-py37-none-any.whl", "3.11"],
    ["x-1.0-1build-cp311-none-any.whl", "3.11.2"],
    ["x-1.0-py312-none-any.whl", "3.12"],
  ])("takes %s for Python %s", async (name, python) => {
    expect((await readWheel(wheelBytes(), { fileName: name, python })).fileName).toBe(name);
  });

  test("refuses native code whatever the name says", async () => {
    const files = { "pure_thing/__init__.py": "", "pure_thing/core.cpython-311.so": "\x7fELF" };
    const error = await refusal(readWheel(wheelBytes({ files }), { fileName }));
    expect(error.code).toBe("native_code");
    expect(error.message).toContain("holds native code (pure_thing/core.cpython-311.so)");
  });

  test("refuses by Requires-Python", async () => {
    const bytes = wheelBytes({ metadata: `${METADATA}Requires-Python: >=3.12\n` });
    const error = await refusal(readWheel(bytes, { fileName }));
    expect(error.code).toBe("wrong_python");
    expect(error.message).toBe(`${fileName} wants Python >=3.12, and this is Python 3.11.`);
    await readWheel(bytes, { fileName, python: "3.12" });
  });

  test("refuses what is damaged, cut off, no zip, or a zip of something else", async () => {
    const good = wheelBytes({ files: { "pure_thing/__init__.py": "x = 1\n".repeat(500) } });
    const flipped = good.slice();
    flipped[60]! ^= 0xff;
    expect((await refusal(readWheel(flipped, { fileName }))).code).toBe("damaged");
    const short = good.slice(0, good.length - 30);
    expect((await refusal(readWheel(short, { fileName }))).code).toBe("damaged");
    const page = strToU8("<!doctype html><title>404</title>");
    const error = await refusal(readWheel(page, { fileName }));
    expect(error).toMatchObject({
      code: "not_a_wheel",
      message: `${fileName} is no zip archive, but a page.`,
    });
    expect((await refusal(readWheel(new Uint8Array(0), { fileName }))).code).toBe("not_a_wheel");
    const other = new Uint8Array(zipSync({ "a.txt": strToU8("a") }));
    expect((await refusal(readWheel(other, { fileName }))).message).toContain("no .dist-info");
  });

  test("refuses what is too large before it has read it all, and what did not come", async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(++pulled && 100_000)),
    });
    const error = await refusal(readWheel(new Response(endless), { fileName, maxBytes: 2 ** 20 }));
    expect(error.code).toBe("too_large");
    expect(pulled).toBeLessThan(20);
    const large = new File([new Uint8Array(2 ** 21)], fileName);
    expect((await refusal(readWheel(large, { maxBytes: 2 ** 20 }))).code).toBe("too_large");
    const missing = new Response("no", { status: 404 });
    expect(await refusal(readWheel(missing, { fileName }))).toMatchObject({
      code: "not_loaded",
      message: `${fileName} did not come: HTTP 404.`,
    });
  });
});

describe("wheelFolder", () => {
  const wheel = (name: string, modules: string[]) => ({
    fileName: `${name}-1.0-py3-none-any.whl`,
    name,
    version: "1.0",
    modules,
    requires: [],
    bytes: wheelBytes(),
  });

  test("is what a run takes", () => {
    const { mounts, env } = wheelFolder([wheel("a", ["a"]), wheel("b", ["b"])]);
    expect(env).toEqual({ PYTHONPATH: "/packages" });
    const paths = mounts["/packages"].data.entries.map(([, path]) => path);
    expect(paths.toSorted()).toEqual([
      "a-1.0-py3-none-any.whl",
      "b-1.0-py3-none-any.whl",
      "sitecustomize.py",
    ]);
  });

  test("refuses a package twice, however it is written, and a module twice", () => {
    expect(() => wheelFolder([wheel("A_b", ["x"]), wheel("a.B", ["y"])])).toThrow(
      /^a\.B-1\.0-py3-none-any\.whl is a\.B once more: A_b-1\.0-py3-none-any\.whl is here already\.$/,
    );
    expect(() => wheelFolder([wheel("a", ["x", "y"]), wheel("b", ["y"])])).toThrow(
      expect.objectContaining({ code: "name_clash", fileName: "b-1.0-py3-none-any.whl" }),
    );
  });
});

test.each([
  [">=3.8", "3.11", true],
  [">=3.12", "3.11", false],
  [">=3.11.4", "3.11", true],
  [">=3.11.4", "3.11.2", false],
  ["<3.11", "3.11", false],
  ["<4", "3.11", true],
  [">=2.7, !=3.0.*, !=3.1.*", "3.11", true],
  ["!=3.11.*", "3.11.2", false],
  ["~=3.8", "3.11", true],
  ["~=3.8.1", "3.11", false],
  ["==3.*", "3.11", true],
  ["==3.11.*", "3.11", true],
  ["==3.10.*", "3.11", false],
  [">3.11", "3.11", false],
  ["what is this", "3.11", true],
])("Requires-Python %s and Python %s: %s", (specifiers, version, fits) => {
  expect(acceptsVersion(specifiers, version)).toBe(fits);
});
