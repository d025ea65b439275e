// Entry `sallyport/node`: the names of `sallyport`, with guests in worker threads; Node 20 and newer.

export { SandboxError } from "./errors.ts";
export type { SandboxErrorCode } from "./errors.ts";
export { createSandbox, doctor } from "./node/create-sandbox.ts";
export type { Diagnosis, Finding } from "./page/doctor.ts";
export type { Sandbox } from "./page/sandbox.ts";
export type { SandboxOptions } from "./page/sandbox-options.ts";
export type { SnapshotOptions } from "./page/snapshot.ts";
export type { Run } from "./page/run.ts";
export type { RawDoor, RunLimits, RunOptions } from "./page/run-options.ts";
export type { RunResult, RunStatus } from "./page/run-result.ts";
export type { ModuleSource } from "./page/load-module.ts";
export type { Transport } from "./wire/messages.ts";
export { tool } from "./tools/tool.ts";
export type { Tool, ToolAnnotations, ToolContext, ToolDefinition } from "./tools/tool.ts";
export { ToolDenied, ToolError } from "./tools/tool-error.ts";
export type { ToolErrorKind } from "./tools/tool-error.ts";
export { stubs } from "./door/stubs.ts";
export { contractTool } from "./tools/contract-tool.ts";
export type { ContractTool, ContractToolDefinition, ToolEntry } from "./tools/contract-tool.ts";
export { localTools, toolRegistry } from "./compose/tool-registry.ts";
export { skillTools } from "./tools/skill-tools.ts";
export { wasmTool } from "./compose/wasm-tool.ts";
export { envelope } from "./tools/envelope.ts";
export type { SkillSource } from "./tools/skill-tools.ts";
export type { GuestRunner, WasmToolOptions } from "./compose/wasm-tool.ts";
export type {
  BareResult,
  ContentBlock,
  EnvelopeExtras,
  ResultMode,
  ToolEvent,
  ToolResultEnvelope,
} from "./tools/envelope.ts";
export type { LocalTools } from "./tools/local-tools.ts";
export type {
  CallOptions,
  RegistryOptions,
  SchemaCheck,
  SchemaValidator,
  ToolLister,
  ToolProgress,
  ToolProvider,
  ValidatorSource,
} from "./tools/provider.ts";
export type { DoorOffer } from "./tools/provider-door.ts";
export type { ToolRegistry } from "./tools/registry.ts";
export type {
  CallContext,
  PolicyOption,
  PreDecision,
  Registration,
  ToolPolicy,
  ToolRegistryOptions,
} from "./tools/registry-options.ts";
export type { RegistryCall } from "./tools/registry-record.ts";
export type { RegistryProblem } from "./tools/registry-routes.ts";
export { createToolDoor } from "./door/create-tool-door.ts";
export type { ToolDoor, ToolDoorOptions } from "./door/create-tool-door.ts";
export type { Gate } from "./door/invoke-tool.ts";
export type { CallRecord, OnCall } from "./door/call-record.ts";
export { PROTOCOL } from "./door/protocol.ts";
export { createHttpDoor } from "./http/http-door.ts";
export type { HttpDoor, HttpDoorOptions } from "./http/http-door.ts";
export type { HttpErrorKind } from "./http/http-failure.ts";
export type { HttpFiles, HttpFileSink, HttpFileSource } from "./http/http-files.ts";
export type {
  HttpTransport,
  HttpTransportRequest,
  HttpTransportResponse,
} from "./http/http-transport.ts";
export type { CredentialOption } from "./http/credentials.ts";
export type { HostOption, NetworkOptions } from "./http/network-policy.ts";
export type { HttpProgress, HttpRequestRecord } from "./http/request-record.ts";
export { image } from "./files/image.ts";
export type { Image, ImageOptions } from "./files/image.ts";
export type { FolderConflict } from "./files/write-back.ts";
export type { Mount } from "./files/preopens.ts";
export { memory } from "./files/memory.ts";
