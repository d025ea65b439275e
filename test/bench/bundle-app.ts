// The library as an app's bundler ships it: one file for what the app imports, one for each part that it loads later; Node.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** What an app imports. */
const ENTRY = 'export { createSandbox, SandboxError, tool, ToolDenied } from "sallyport";';

/** Its files, by name; `app.js` is the app. `root` is the folder of the repository. */
export async function bundleApp(root: string): Promise<Record<string, string>> {
  const bundle = await rolldown({
    input: { app: "app" },
    cwd: root,
    platform: "browser",
    tsconfig: false,
    resolve: { alias: { sallyport: join(root, "dist/index.js") } },
    // An app's entry may hold what is loaded later needs, too: nobody imports it for its names.
    preserveEntrySignatures: "allow-extension",
    plugins: [
      {
        name: "app",
        resolveId: (id) => (id === "app" ? id : null),
        load: (id) => (id === "app" ? ENTRY : null),
      },
    ],
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    entryFileNames: "app.js",
  });
  await bundle.close();
  const files = output.flatMap((file) =>
    file.type === "chunk" ? [[file.fileName, file.code]] : [],
  );
  return {
    ...(Object.fromEntries(files) as Record<string, string>),
    // Bundlers put it beside what names it, as it is.
    "worker.js": readFileSync(join(root, "dist/worker.js"), "utf8"),
  };
}
