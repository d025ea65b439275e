// Lets the MCP conformance suite start on Node 20, which lacks a function that its client scenarios do not use; Node.
import { register } from "node:module";

const shim = `export * from "node:fs";
export { default } from "node:fs";
export function globSync() { throw new Error("fs.globSync needs Node 22"); }`;
const hooks = `const shim = "data:text/javascript," + encodeURIComponent(${JSON.stringify(shim)});
export async function resolve(specifier, context, next) {
  const asked = specifier === "fs" && context.parentURL?.includes("/@modelcontextprotocol/conformance/");
  return asked ? { url: shim, format: "module", shortCircuit: true } : next(specifier, context);
}`;
register("data:text/javascript," + encodeURIComponent(hooks));
