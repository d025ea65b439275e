// Runs cases of Python's behaviours in a page; page.

import * as api from "sallyport";
import { ALL } from "./all.ts";
import { sandboxOptions, type Build, type PythonEnv } from "./python-case.ts";

const build = new URLSearchParams(location.search).get("build") as Build;
let made: Promise<api.Sandbox> | undefined;

const env: PythonEnv = {
  api,
  build,
  module: new URL(
    build === "shipped" ? "../shipped/python-started.wasm" : `../interpreters/${build}.wasm`,
    location.href,
  ),
  sandbox: () => (made ??= api.createSandbox(sandboxOptions(build, env.module))),
};

/** What a case came to: undefined for good. */
async function runCase(name: string): Promise<string | undefined> {
  try {
    await ALL.find((entry) => entry.name === name)!.run(env);
    return undefined;
  } catch (error) {
    const { message, stack } = error as Error;
    return `${message}\n${stack ?? ""}`;
  }
}

Object.assign(globalThis, { runCase });
