// Vite's settings for the playground: dev server, preview and the static site; Node.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pythonInParts } from "./scripts/copy-guests.mjs";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export default defineConfig({
  base: "./",
  server: { headers: isolation },
  preview: { headers: isolation },
  // The demo imports the package by its name, as its readers will, and gets what `npm run build` made.
  resolve: {
    alias: [
      { find: /^sallyport$/, replacement: at("./dist/index.js") },
      { find: /^sallyport\/(.+)$/, replacement: at("./dist/$1.js") },
      { find: /^@sallyport\/python$/, replacement: at("./guests/python/page/wheels.js") },
      { find: /^@sallyport\/python\/at$/, replacement: at("./guests/python/page/python-at.js") },
    ],
  },
  // Asking for it where it was not built would be an error in every visitor's console.
  define: { PYTHON_IN_PARTS: JSON.stringify(pythonInParts()) },
  build: {
    outDir: "site",
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: { input: [at("./index.html"), at("./demo/packages/index.html")] },
  },
});
