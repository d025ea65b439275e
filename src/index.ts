// Entry `sallyport`: named re-exports only; page and Node (imports nothing that touches a DOM on load).
export { SandboxError } from "./errors.ts";
export type { SandboxErrorCode } from "./errors.ts";
