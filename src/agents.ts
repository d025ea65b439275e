// Entry `sallyport/agents`: a registry's tools in the formats of agents, and results back, without any SDK; page and Node.

export { openAIResponsesTools, openAITools } from "./agents/openai-tools.ts";
export type {
  OpenAIChatCall,
  OpenAIChatMessage,
  OpenAIChatTool,
  OpenAIChatTools,
  OpenAIOptions,
  OpenAIResponsesCall,
  OpenAIResponsesOutput,
  OpenAIResponsesTool,
  OpenAIResponsesTools,
} from "./agents/openai-tools.ts";
export { anthropicTools } from "./agents/anthropic-tools.ts";
export type {
  AnthropicBlock,
  AnthropicImageType,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicTools,
} from "./agents/anthropic-tools.ts";
export { aiSdkTools } from "./agents/ai-sdk-tools.ts";
export type { AiSdkOutput, AiSdkSchema, AiSdkTool } from "./agents/ai-sdk-tools.ts";
export { mcpFormat } from "./agents/mcp-format.ts";
export type {
  McpFormat,
  McpFormatBlock,
  McpFormatResult,
  McpFormatTool,
  McpJson,
} from "./agents/mcp-format.ts";
export { registerWebMCP } from "./agents/register-webmcp.ts";
export type {
  ModelContext,
  WebMcpOptions,
  WebMcpRegistration,
  WebMcpTool,
} from "./agents/register-webmcp.ts";
export type { AgentOptions } from "./agents/agent-parts.ts";
