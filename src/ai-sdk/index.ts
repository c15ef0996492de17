/**
 * `execute_code` for the AI SDK, its tools in programs, and its models in conversations.
 * @module sandboxed-ptc/ai-sdk
 */
export { executeCodeTool } from './code/execute-code-tool.ts';
export type {
  ExecuteCodeImage,
  ExecuteCodeInput,
  ExecuteCodeOutput,
  ExecuteCodeSchema,
  ExecuteCodeTool,
  ExecuteCodeToolCaller,
  ModelOutput,
  ModelOutputPart,
} from './code/tool.ts';
export type { ExecuteCodeToolOptions } from './code/options.ts';
export { aiSdkTools } from './tools/ai-sdk-tools.ts';
export type { AiSdkCall, AiSdkTool, AiSdkToolSet } from './sdk-types.ts';
export { aiSdkModel } from './model/model.ts';
export type { AiSdkModel } from './model/sdk-model.ts';
