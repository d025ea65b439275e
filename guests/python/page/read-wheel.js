// Reads a wheel and judges whether a guest's Python can import it; page and Node.
// @ts-check

import { acceptsVersion, minorOf } from "./python-version.js";
import { modulesOf, readMetadata, requirements, unpack } from "./wheel-content.js";
import { nativeCode, WheelError } from "./wheel-error.js";

const MOST_BYTES = 64 * 2 ** 20;
const NATIVE = /\.(?:so|pyd|dll|dylib)(?:\.\d+)*$/;

/** @type {typeof import("./wheels.d.ts").readWheel} */
export async function readWheel(source, options = {}) {
  const { python = "3.11", maxBytes = MOST_BYTES } = options;
  const fileName = options.fileName ?? nameOf(source);
  const tags = readName(fileName);
  judgeTags(fileName, tags, python);
  const bytes = await bytesOf(source, fileName, maxBytes);
  const paths = await unpack(bytes, fileName);
  const native = [...paths.keys()].find((path) => NATIVE.test(path));
  if (native) throw nativeCode(fileName, `holds native code (${native})`);
  const metadata = readMetadata(paths, fileName);
  const [requiresPython] = metadata.get("requires-python") ?? [];
  if (requiresPython !== undefined && !acceptsVersion(requiresPython, python)) {
    throw new WheelError(
      "wrong_python",
      fileName,
      `wants Python ${requiresPython}, and this is Python ${python}.`,
    );
  }
  return {
    fileName,
    name: metadata.get("name")?.[0] ?? tags.distribution,
    version: metadata.get("version")?.[0] ?? tags.version,
    modules: modulesOf([...paths.keys()]),
    requires: requirements(metadata.get("requires-dist") ?? []),
    bytes,
  };
}

/** @param {import("./wheels.d.ts").WheelSource} source */
function nameOf(source) {
  if (typeof File === "function" && source instanceof File) return clean(source.name);
  if (!(source instanceof Response) || source.url === "") return "";
  const last = new URL(source.url).pathname.split("/").at(-1) ?? "";
  try {
    return clean(decodeURIComponent(last));
  } catch {
    return last;
  }
}

/** Browsers number what is downloaded again: `a-1.0-py3-none-any (1).whl`. @param {string} name */
function clean(name) {
  return name.replace(/ ?\(\d+\)(?=\.whl$)/, "");
}

/** @param {string} fileName */
function readName(fileName) {
  const parts = fileName.replace(/\.whl$/, "").split("-");
  const [distribution, version] = parts;
  const [python, abi, platform] = parts.slice(-3);
  const isName = /^[\w.+!-]+\.whl$/.test(fileName) && (parts.length === 5 || parts.length === 6);
  if (isName && distribution && version && python && abi && platform) {
    return { distribution, version, python, abi, platform };
  }
  const isSource = /\.(?:tar\.\w+|tgz|zip)$/.test(fileName);
  throw new WheelError(
    "not_a_wheel",
    fileName,
    isSource
      ? "is an archive of sources, not a wheel: those end in .whl."
      : "is not a wheel: those are named like name-1.0-py3-none-any.whl.",
  );
}

/** @param {string} fileName @param {{ python: string, abi: string, platform: string }} tags @param {string} version */
function judgeTags(fileName, { python, abi, platform }, version) {
  if (!abi.split(".").includes("none") || !platform.split(".").includes("any")) {
    throw nativeCode(fileName, `is made for ${platform === "any" ? abi : platform}`);
  }
  const minor = minorOf(version);
  const fits = python.split(".").some((tag) => {
    const [, kind, digits = ""] = /^(py|cp)3(\d*)$/.exec(tag) ?? [];
    if (kind === "py") return digits === "" || Number(digits) <= minor;
    return kind === "cp" && digits !== "" && Number(digits) === minor;
  });
  if (fits) return;
  const words = `is for ${python.split(".").join(" or ")}, and this is Python ${version}.`;
  throw new WheelError("wrong_python", fileName, words);
}

/** @param {import("./wheels.d.ts").WheelSource} source @param {string} fileName @param {number} most */
async function bytesOf(source, fileName, most) {
  if (source instanceof Response && !source.ok) {
    throw new WheelError("not_loaded", fileName, `did not come: HTTP ${source.status}.`);
  }
  const tooLarge = () =>
    new WheelError("too_large", fileName, `is larger than ${Math.round(most / 2 ** 20)} MiB.`);
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
    if (source.byteLength > most) throw tooLarge();
    return new Uint8Array(ArrayBuffer.isView(source) ? Uint8Array.from(source) : source.slice(0));
  }
  if (source instanceof Blob && source.size > most) throw tooLarge();
  const parts = [];
  let size = 0;
  try {
    const reader = (source instanceof Blob ? source.stream() : source.body)?.getReader();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      size += next.value.byteLength;
      if (size > most) {
        void reader?.cancel();
        throw tooLarge();
      }
      parts.push(next.value);
    }
  } catch (error) {
    if (error instanceof WheelError) throw error;
    throw new WheelError("not_loaded", fileName, `could not be read: ${String(error)}.`, error);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
