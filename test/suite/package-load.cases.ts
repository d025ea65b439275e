// Loading packages: archives, discovery and its limits, what is refused and how it is named; page and Node.

import { assert } from "chai";
import { gzipSync, zipSync } from "fflate";
import type { FunctionPackage, PackageOptions } from "../../src/package.ts";
import { bytes, cases, rejection, type SuiteEnv } from "./case.ts";

/** The package that breaks any rule, with assets that say how. */
async function load(
  env: SuiteEnv,
  assets: Record<string, string>,
  options: PackageOptions = {},
): Promise<FunctionPackage> {
  const module = await env.guestBytes("packages/misbehave");
  const zip = await env.packages.packPackage({ module, assets });
  const loaded = await env.packages.loadPackage(zip, options);
  loaded.close();
  return loaded;
}

let unique = 0;
/** Another file each time, so that nothing of an earlier case is remembered. */
const fresh = (how: string): Record<string, string> => ({ how, unique: String(unique++) });

export default cases("package load", {
  "a URL, a Response, a Blob and bytes are one package, asked once": async (env) => {
    const { loadPackage } = env.packages;
    const own = await env.guestBytes("packages/greet");
    const address = env.url("/guests/packages/greet.wasm");
    const sources = [
      own,
      own.buffer,
      new Blob([own]),
      ...(address ? [address, new URL(address)] : []),
    ];
    for (const source of sources) {
      const greet = await loadPackage(source);
      assert.equal((await greet.call("greet", { name: "a" })).content[0]!["text"], "Hello, a!");
      assert.match(greet.digest!, /^sha256-/);
      greet.close();
    }
    if (address) {
      const greet = await loadPackage(await fetch(address));
      assert.equal(greet.name, "greet");
      greet.close();
    }
  },

  "an archive brings its name and its assets, which stay as they are": async (env) => {
    const module = await env.guestBytes("packages/misbehave");
    const assets = { "a.txt": "asset", deep: { "b.txt": "b" } };
    const zip = await env.packages.packPackage({ module, name: "asset-test", assets });
    const loaded = await env.packages.loadPackage(zip);
    assert.equal(loaded.name, "asset-test");
    assert.deepEqual(loaded.manifest, { abi: 1, name: "asset-test" });
    const act = async (args: object) => (await loaded.call("act", { ...args })).content[0]!["text"];
    assert.include(await act({ how: "environment" }), '"/volume/tmp","/package","/skills"');
    assert.equal(await act({ how: "read", path: "/package/deep/b.txt" }), "b");
    assert.equal(await act({ how: "write", path: "/package/a.txt", text: "x" }), "69"); // EROFS
    loaded.close();
  },

  "while it is asked it sees /package alone, and no network": async (env) => {
    const volume = env.packages.memoryVolume();
    await volume.write("/data/a", "a");
    const options = { volume, network: { allow: ["example.com"] }, skills: { a: {} } };
    for (const [how, seen] of [
      ["list environment", '"preopens":["/package"]'],
      ["list http", "host_not_allowed"],
    ] as const) {
      const module = await env.guestBytes("packages/misbehave");
      const zip = await env.packages.packPackage({ module, assets: fresh(how) });
      let said = "";
      const onStderr = (text: string): void => void (said += text);
      const error = await rejection(env.packages.loadPackage(zip, { ...options, onStderr }));
      assert.equal(error.code, "bad_package");
      assert.include(said, seen);
    }
  },

  "what breaks a call breaks the loading": [
    async (env) => {
      const ways: [string, string][] = [
        ["discover error", "json_rpc_error"],
        ["list noise", "not_a_message"],
        ["discover early 0", "exited_early"],
        ["list trap", "trapped"],
        ["list twice", "wrong_id"],
        ["list linger 3000", "late_exit"],
      ];
      for (const [how, reason] of ways) {
        const error = await rejection(load(env, fresh(how)));
        assert.instanceOf(error, env.packages.PackageCrash, how);
        assert.equal((error as unknown as { reason: string }).reason, reason, how);
      }
    },
    { timeoutMs: 30_000 },
  ],

  "a module that is no package is refused with every problem": async (env) => {
    const { loadPackage } = env.packages;
    const error = await rejection(loadPackage(await env.guestBytes("door-echo")));
    assert.equal(error.code, "bad_package");
    const { problems } = error.data as { problems: { code: string }[] };
    assert.include(
      problems.map(({ code }) => code),
      "import_module",
    );
    for (const junk of [bytes("<!doctype html><p>404"), bytes(""), bytes("\0asm")]) {
      assert.equal((await rejection(loadPackage(junk))).code, "bad_package");
    }
  },

  "the same file is asked once at a time, and a signal ends only its own load": [
    async (env) => {
      const { loadPackage, packPackage } = env.packages;
      const module = await env.guestBytes("packages/misbehave");
      const zip = await packPackage({ module, assets: fresh("list wait 700") });
      const begin = performance.now();
      const stop = new AbortController();
      const first = loadPackage(zip);
      const second = rejection(loadPackage(zip, { signal: stop.signal }));
      const third = loadPackage(zip);
      setTimeout(() => stop.abort(), 200);
      assert.equal((await second).code, "aborted");
      assert.isBelow(performance.now() - begin, 600);
      for (const loaded of await Promise.all([first, third])) {
        assert.equal(
          (await loaded.call("act", { how: "say", text: "a" })).content[0]!["text"],
          "a",
        );
        loaded.close();
      }
      // One instance answered both, else they would have taken turns.
      assert.isBelow(performance.now() - begin, 1_400);
      const again = performance.now();
      (await loadPackage(zip)).close();
      assert.isBelow(performance.now() - again, 500);
    },
    { once: true },
  ],

  "arguments are checked only where that was asked for": [
    async (env) => {
      const { loadPackage } = env.packages;
      const module = await env.guestBytes("packages/greet");
      for (const validateArguments of [false, true]) {
        const greet = await loadPackage(module, { validateArguments });
        const registry = env.api.toolRegistry([greet]);
        const envelope = await registry.callTool("greet", { name: 7 });
        assert.isTrue(envelope.is_error);
        const said = JSON.stringify(envelope);
        assert.equal(said.includes("name must be a text"), !validateArguments, said);
        greet.close();
      }
    },
    { once: true },
  ],

  "bombs, and what lies behind the end, are refused by the platform's own decompressor, too": [
    async (env) => {
      const { loadPackage } = env.packages;
      const files = {
        "module.wasm": await env.guestBytes("packages/greet"),
        "subako-package.json": bytes('{"abi":1}'),
      };
      const zeros = new Uint8Array(8 * 2 ** 20);
      const zip = new Uint8Array(zipSync({ ...files, zeros }));
      assert.equal((await rejection(loadPackage(zip))).code, "quota");
      const lying = zip.slice();
      const view = new DataView(lying.buffer);
      for (let at = 0; at + 46 < lying.length; at++) {
        const isEntry = view.getUint32(at, true) === 0x0201_4b50;
        if (isEntry && view.getUint32(at + 24, true) === zeros.length) {
          view.setUint32(at + 24, 1_000, true);
        }
      }
      assert.match(String((await rejection(loadPackage(lying))).code), /^(quota|bad_archive)$/);
      const gzip = new Uint8Array(gzipSync(new Uint8Array(100_000_000), { level: 1 }));
      assert.equal((await rejection(loadPackage(gzip))).code, "quota");
      const small = gzipSync(new Uint8Array(1_024));
      for (const more of [gzipSync(new Uint8Array(512).fill(1)), bytes("more")]) {
        const both = new Uint8Array(small.length + more.length);
        both.set(small);
        both.set(more, small.length);
        assert.equal((await rejection(loadPackage(both))).code, "bad_archive");
      }
    },
    { once: true },
  ],

  "hostile archives and wrong digests are refused": async (env) => {
    const { loadPackage, packPackage } = env.packages;
    const zip = await packPackage({ module: await env.guestBytes("packages/greet") });
    assert.equal((await rejection(loadPackage(zip.slice(0, -5)))).code, "bad_archive");
    const integrity = "sha384-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert.equal((await rejection(loadPackage(zip, { integrity }))).code, "integrity_mismatch");
    const aborted = await rejection(loadPackage(zip, { signal: AbortSignal.abort() }));
    assert.equal(aborted.code, "aborted");
  },
});
