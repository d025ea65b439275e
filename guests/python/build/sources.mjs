// The upstream tarballs as Debian serves them, pinned by their sha256 whichever revision brings them; Node built-ins only.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../../scripts/run-command.mjs";
import { PATCHES, patchSources } from "./patches.mjs";
import { cache, CannotBuild, run, runStep } from "./run-step.mjs";

/** By Debian's source package. `folder` is what the tarball unpacks to. */
export const SOURCES = {
  "python3.11": {
    file: "python3.11_3.11.2.orig.tar.gz",
    folder: "Python-3.11.2",
    sha256: "2411c74bda5bbcfcddaf4531f66d1adc73f247f529aee981b029513aefdbf849",
  },
  zlib: {
    file: "zlib_1.2.13.dfsg.orig.tar.bz2",
    folder: "zlib-1.2.13.dfsg.orig",
    sha256: "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1",
  },
  bzip2: {
    file: "bzip2_1.0.8.orig.tar.gz",
    folder: "bzip2-1.0.8",
    sha256: "ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269",
  },
  "xz-utils": {
    file: "xz-utils_5.4.1.orig.tar.xz",
    folder: "xz-5.4.1",
    sha256: "5d9827aa1875b21c288f78864bb26d2650b436ea8d2cad364e4921eb6266a5a5",
  },
  sqlite3: {
    file: "sqlite3_3.40.1.orig.tar.xz",
    folder: "sqlite3-3.40.1",
    sha256: "aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655",
  },
};

/** Where the tarballs are kept. */
export const downloads = join(cache, "downloads");

/** The folder of an unpacked source. */
export const sourceFolder = (name) => join(cache, "sources", SOURCES[name].folder);

/** The plain release first: its revisions stay until the next point release. */
const RELEASES = [
  ["debian", "bookworm"],
  ["debian-security", "bookworm-security"],
];

/** Downloads, checks and unpacks all of them. Throws CannotBuild when Debian does not serve them. */
export async function fetchSources() {
  const names = Object.keys(SOURCES);
  await fetchTarballs(SOURCES, RELEASES);
  for (const name of names) {
    const { file, sha256 } = SOURCES[name];
    await runStep(`unpack-${name}`, {
      inputs: [sha256, name === "python3.11" ? JSON.stringify(PATCHES) : ""],
      output: sourceFolder(name),
      work: async () => {
        rmSync(sourceFolder(name), { recursive: true, force: true });
        mkdirSync(sourceFolder(name), { recursive: true });
        const strip = "--strip-components=1";
        await run("tar", ["xf", join(downloads, file), strip, "-C", sourceFolder(name)]);
        if (name === "python3.11") patchSources(sourceFolder(name));
      },
    });
  }
}

/**
 * Has each tarball in {@link downloads}, as it is known. Throws CannotBuild when Debian does not serve it.
 *
 * @param {Record<string, { file: string, sha256: string }>} sources by the name of Debian's package
 * @param {string[][]} releases each a mirror's folder and a suite, tried in turn
 */
export async function fetchTarballs(sources, releases) {
  mkdirSync(downloads, { recursive: true });
  const missing = () => Object.keys(sources).filter((name) => !isGood(sources[name]));
  if (missing().length > 0) await download(sources, missing, releases);
}

function isGood({ file, sha256 }) {
  const path = join(downloads, file);
  if (!existsSync(path)) return false;
  return createHash("sha256").update(readFileSync(path)).digest("hex") === sha256;
}

/**
 * A superseded revision's .dsc vanishes from the mirrors while the tarball stays, so what apt-get thinks of the whole does
 * not count: only whether the tarballs are there.
 */
async function download(sources, missing, releases) {
  const apt = join(cache, "apt");
  for (const folder of ["lists/partial", "archives/partial"]) {
    mkdirSync(join(apt, folder), { recursive: true });
  }
  const config = join(apt, "apt.conf");
  const quoted = (path) => `"${join(apt, path)}"`;
  writeFileSync(
    config,
    `Dir::Etc::sourcelist ${quoted("sources.list")};\nDir::Etc::sourceparts "-";\n` +
      `Dir::State::lists ${quoted("lists")};\nDir::Cache::archives ${quoted("archives")};\nAPT::Sandbox::User "root";\n`,
  );
  const options = {
    timeoutMs: 3 * 60_000,
    cwd: downloads,
    env: { APT_CONFIG: config, LC_ALL: "C" },
    capture: true,
  };
  let said = "";
  for (const at of releases.keys()) {
    if (missing().length === 0) return;
    writeFileSync(join(apt, "sources.list"), sourceLines(releases.slice(0, at + 1)));
    said += (await runCommand("apt-get", ["update"], options)).output;
    for (const name of missing()) {
      said += (await runCommand("apt-get", ["source", "--download-only", name], options)).output;
    }
  }
  const bad = missing();
  if (bad.length === 0) return;
  const there = readdirSync(downloads);
  const reasons = bad.map((name) => {
    const { file } = sources[name];
    return there.includes(file) ? `${file} has another sha256` : `${file} is not served`;
  });
  const errors = said.split("\n").filter((line) => line.startsWith("E:"));
  throw new CannotBuild([...reasons, ...errors.slice(0, 2)].join("; "));
}

/** The mirrors that this machine's own apt uses, for sources instead of packages. */
function sourceLines(releases) {
  const key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";
  const lines = releases.map(([folder, suite]) => {
    const mirror = machineMirror(folder);
    return mirror === undefined ? "" : `deb-src ${key} ${mirror} ${suite} main\n`;
  });
  if (lines[0] === "") throw new CannotBuild("apt on this machine names no Debian mirror");
  return lines.join("");
}

function machineMirror(path) {
  const folder = "/etc/apt/sources.list.d";
  const listed = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const files = ["/etc/apt/sources.list", ...listed].filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, "utf8").replace(/^\s*#.*$/gm, "")).join("\n");
  const pattern = `\\b(?:https?|file|copy|mirror[+a-z]*):\\S*/${path}/?(?=\\s|$)`;
  return new RegExp(pattern, "m").exec(text)?.[0];
}
