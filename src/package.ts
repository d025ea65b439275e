// Entry `sallyport/package`: named re-exports only; page, and Node with `createSandbox` of `sallyport/node`.

export { loadPackage } from "./compose/load-package.ts";
export type { FunctionPackage } from "./compose/function-package.ts";
export { renderContent } from "./compose/render-content.ts";
export type { PackageCallOptions, PackageOptions } from "./compose/package-options.ts";
export { inspectModule } from "./package/inspect-module.ts";
export type { ModuleProblem, ModuleProblemCode, ModuleReport } from "./package/inspect-module.ts";
export { packPackage } from "./package/pack-package.ts";
export type { PackOptions } from "./package/pack-package.ts";
export { PackageCrash } from "./package/package-crash.ts";
export type { CrashReason } from "./package/package-crash.ts";
export { modelContent } from "./package/model-content.ts";
export type { ModelPart } from "./package/model-content.ts";
export type {
  CallToolResult,
  ContentBlock,
  LinkedImage,
  PackageResult,
} from "./package/call-result.ts";
export type { PackageManifest } from "./package/manifest.ts";
export type { BrokenLimit, PackageTool } from "./package/tool-listing.ts";
export { memoryVolume, openVolume } from "./files/open-volume.ts";
export type { Volume, VolumeItem, VolumeUsage } from "./files/volume.ts";
