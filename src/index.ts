export { PtcError, type PtcErrorCode } from './shared/errors.ts';
export type { JsonObject, JsonValue } from './shared/json.ts';

export { defineTool, type ToolDefinition } from './tools/define-tool.ts';
export { ToolRegistry, type ToolSet } from './tools/registry.ts';
export type { Tool, ToolCaller, ToolContext } from './tools/tool.ts';

export {
  ProgrammaticToolOrchestrator,
  type OrchestratorOptions,
  type RunOptions,
} from './orchestrator/orchestrator.ts';
export type { RunEvent, RunListener, RunResult, TokenSavings } from './orchestrator/run-events.ts';
export type { ToolMode } from './orchestrator/system-prompt.ts';

export {
  SandboxExecutor,
  type ExecuteOptions,
  type SandboxExecutorOptions,
} from './sessions/sandbox-executor.ts';
export type { SessionInfo, SessionState } from './sessions/session.ts';
export type {
  ExecutionError,
  ExecutionEvent,
  ExecutionResult,
  ExecutionStatus,
} from './execution/execution.ts';

export type { ProviderName, SandboxChoice } from './providers/select-provider.ts';
export type {
  Availability,
  ProgressListener,
  ResourceLimits,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
} from './sandbox/sandbox.ts';
export type { Transport, TransportListener } from './protocol/transport.ts';

export type {
  AssistantBlock,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelStreamEnd,
  ModelStreamPart,
  ModelTool,
  StopReason,
  TokenUsage,
  UserBlock,
} from './models/language-model.ts';
export { scriptedModel, type ScriptedAnswer, type ScriptedTurn } from './models/scripted.ts';
