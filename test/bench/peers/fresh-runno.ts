// Runno's own Python in @runno/wasi: its module and its tree of files, both kept, a fresh instance for each program; worker.

import { WASI } from "@runno/wasi";
import { readTar } from "../../../src/files/tar.ts";
import type { FreshAnswer, FreshRun } from "../page/python-peers.ts";

interface RunnoFile {
  readonly path: string;
  readonly timestamps: Readonly<Record<"access" | "modification" | "change", Date>>;
  readonly mode: "binary";
  readonly content: Uint8Array;
}

let loaded: Promise<[WebAssembly.Module, Record<string, RunnoFile>]> | undefined;

addEventListener("message", ({ data }: MessageEvent<FreshRun>) => {
  void run(data.code).then((answer) => postMessage(answer));
});

async function run(code: string): Promise<FreshAnswer> {
  loaded ??= Promise.all([
    WebAssembly.compileStreaming(fetch("../runno/python-3.11.3.wasm")),
    fetchTree("../runno/python-3.11.3.tar.gz"),
  ]);
  const [module, fs] = await loaded;
  let stdout = "";
  const wasi = new WASI({
    args: ["python", "-c", code],
    env: {},
    stdout: (text) => (stdout += text),
    stderr: (text) => (stdout += text),
    stdin: () => null,
    fs,
  });
  const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
  wasi.start({ module, instance });
  return { stdout };
}

async function fetchTree(url: string): Promise<Record<string, RunnoFile>> {
  const unpacked = (await fetch(url)).body!.pipeThrough(new DecompressionStream("gzip"));
  const now = new Date();
  const timestamps = { access: now, modification: now, change: now };
  const tree: Record<string, RunnoFile> = {};
  for (const entry of readTar(new Uint8Array(await new Response(unpacked).arrayBuffer()))) {
    const path = `/${entry.path}`;
    if (entry.type === "file")
      tree[path] = { path, timestamps, mode: "binary", content: entry.bytes };
  }
  return tree;
}
