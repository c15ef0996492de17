/**
 * Tools, conversations, executors, policies, the audit log and stores.
 * @module sandboxed-ptc
 */
export { PtcError, type PtcErrorCode, type PtcErrorOptions } from './shared/errors.ts';
export type { JsonObject, JsonValue } from './shared/json/json.ts';
export type { Labels } from './shared/labels.ts';

export {
  defineTool,
  type OutputOf,
  type ToolDefinition,
  type ToolOrDefinition,
} from './tools/define-tool.ts';
export { defineRemoteTool, type RemoteToolDefinition } from './tools/remote-tool.ts';
export type {
  JsonSchemaSource,
  SchemaSource,
  TypedSchema,
  ZodSchema,
} from './tools/schema/schema.ts';
export type { StandardSchema } from './tools/schema/standard-schema.ts';
export type { ZodIssue } from './tools/schema/zod-validator.ts';
export type { Approval, ApproveFunction, Approver } from './tools/policy/approval.ts';
export type { ApprovalRequest, PlaceInBatch } from './tools/policy/approval-request.ts';
export type {
  ApprovalBatch,
  AskBatchFunction,
  AskBatchOptions,
  AskingProgram,
  BatchDecision,
  BatchedApproval,
  BatchedRequest,
  BatchGrant,
  DecideBatchOptions,
} from './tools/policy/batches/approval-batch.ts';
export {
  ApprovalQueue,
  type ApprovalQueueOptions,
  type ApproveOptions,
} from './tools/policy/approval-queue.ts';
export { ApprovalGrants } from './tools/policy/grants/approval-grants.ts';
export type { ActiveGrant } from './tools/policy/grants/grant-book.ts';
export type { ApprovalGrant, GrantScope } from './tools/policy/grants/grant.ts';
export type { PolicyAction, PolicyCall, PolicyRule, RuleCall } from './tools/policy/policy.ts';
export type { PolicyOptions } from './tools/policy/policy-gate.ts';
export type { NameRule, NameRuleOf, NamesRule, RuleFor, ToolOf } from './tools/policy/rule-for.ts';
export type { ToolAnnotations } from './tools/annotations.ts';
export type { CountLimits, MaxCalls, RepeatedCalls } from './tools/limits/count-limits.ts';
export { ToolRegistry, type ToolRegistryOptions } from './tools/registry/registry.ts';
export type { ToolSet } from './tools/registry/tool-set.ts';
export type { ToolsOption } from './tools/registry/tools-option.ts';
export type { ObservedShapes } from './tools/shapes/observed-tools.ts';
export type { ToolSource } from './tools/registry/tool-source.ts';
export type {
  CallOrigin,
  CheckLevel,
  ErrorDetails,
  OptionsArgument,
  Tool,
  ToolCaller,
  ToolContext,
  ToolProgress,
  WhenAsked,
} from './tools/tool.ts';

export type {
  FileContent,
  FileEdit,
  FileEntry,
  FileGlobOptions,
  FileGrepOptions,
  FileList,
  FileOptions,
  FileReadOptions,
  FileReadTextOptions,
  FileRemoveOptions,
  FoundLine,
  FoundLines,
  FoundPaths,
  SessionFiles,
} from './tools/session-files.ts';

export { openAuditLog } from './audit/log.ts';
export type { AuditLogOptions } from './audit/options.ts';
export type {
  ApprovalDecidedEntry,
  ApprovalGrantedEntry,
  ApprovalRequestedEntry,
  AuditEntry,
  AuditLog,
  AuditTextKind,
  AuditedCall,
  QuotaExceededEntry,
  ProgramEndedEntry,
  ProgramRefusedEntry,
  ProgramStartedEntry,
  SessionClosedEntry,
  SessionOpenedEntry,
  ToolCallDeferredEntry,
  ToolCallDeniedEntry,
  ToolCallEndedEntry,
} from './audit/entry.ts';

export { ProgrammaticToolOrchestrator } from './orchestrator/orchestrator.ts';
export type { ForkOptions } from './orchestrator/fork-options.ts';
export type {
  OrchestratorOptions,
  RunOptions,
  RunSettings,
} from './orchestrator/orchestrator-options.ts';
export {
  CONVERSATION_SCHEMA,
  type ConversationDocument,
} from './orchestrator/conversation/conversation-document.ts';
export {
  fileStore,
  type FileStore,
  type FileStoreOptions,
} from './orchestrator/store/file/file-store.ts';
export {
  sqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from './orchestrator/store/sqlite-store.ts';
export type { SqliteDatabase, SqliteStatement } from './orchestrator/store/sqlite-database.ts';
export type {
  StoreAppendOptions,
  ConversationEntry,
  ConversationHold,
  ConversationStore,
  StoreHoldOptions,
  StoreKeepFilesOptions,
  StoreLoadFileOptions,
  StoreLoadOptions,
  StoreSaveFileOptions,
  StoredEntry,
} from './orchestrator/store/conversation-store.ts';
export type { ClosedSession, SessionHold } from './orchestrator/code/code-session.ts';
export { codeTool } from './orchestrator/code/code-tool.ts';
export type { CodeAnswer } from './orchestrator/code/code-answer.ts';
export type { CodeTool } from './orchestrator/code/code-tool.ts';
export type { CodeEvent, ProgramEnd } from './orchestrator/code/code-event.ts';
export type {
  CodeToolCallOptions,
  CodeToolHoldOptions,
  CodeToolOptions,
} from './orchestrator/code/code-tool-options.ts';
export type { ProgramState } from './orchestrator/code/program-state.ts';
export type { CatalogMode } from './orchestrator/code/tool-catalog.ts';
export type { RedactFunction, ToolCallPart } from './orchestrator/events/event-redaction.ts';
export type { FileInput, InputFile } from './orchestrator/files/input-file.ts';
export type {
  ModelInput,
  RunEvent,
  RunInput,
  RunListener,
  RunResult,
  TokenSavings,
} from './orchestrator/events/run-events.ts';
export type { ToolMode } from './orchestrator/system-prompt.ts';
export type { SummarizeFunction } from './orchestrator/turns/context-compaction.ts';
export type {
  FinishedTurn,
  PreparedTurn,
  TurnHooks,
  TurnToPrepare,
} from './orchestrator/turns/hooks.ts';
export type { RunLimitOptions } from './orchestrator/turns/run-limits.ts';

export { SandboxExecutor } from './sessions/sandbox-executor.ts';
export type {
  AcquireOptions,
  ExecuteOptions,
  SandboxExecutorOptions,
  SessionExecuteOptions,
} from './sessions/options/executor-options.ts';
export type { WhenFull } from './sessions/supply/when-full.ts';
export type { PoolOptions } from './sessions/supply/pool.ts';
export type { TenantQuotas } from './sessions/tenants/tenants.ts';
export type { Executor, Session, SessionName, SessionToClose } from './sessions/executor.ts';
export type { ExecutorEvent, ExecutorStats } from './sessions/executor-watch.ts';
export type {
  SessionCloseReason,
  SessionInfo,
  SessionState,
} from './sessions/session/session-info.ts';
export type { DeferredCall, DeferredOutcome } from './execution/deferred/deferred-call.ts';
export type {
  ExecutionError,
  ExecutionEvent,
  ExecutionResult,
  ExecutionStatus,
  FullOutput,
} from './execution/execution.ts';
export type {
  CallAnswer,
  HeldCall,
  HeldOutput,
  HeldProgram,
  HeldStep,
  NextOptions,
  OutputCursor,
  OutputOptions,
} from './execution/held/held-program.ts';
export type { OutputFile } from './execution/files/output-files.ts';
export type { ShownImage } from './execution/shown-images.ts';
export type { CallEvent, CallingProgram, CallStep } from './calls/call-event.ts';
export type { CallLog, LoggedCall } from './calls/call-log.ts';
export type { ExecutionBudgets } from './execution/limits/execution-budgets.ts';
export type { FailedCall, ToolOutcome } from './calls/tool-outcome.ts';

export type { ProviderName, ProviderChoice } from './providers/select-provider.ts';
export type {
  Availability,
  ProviderCallOptions,
  FoundSandbox,
  ProgressListener,
  ResourceLimits,
  Sandbox,
  SandboxProvider,
  SandboxSpec,
  SandboxVerdict,
} from './sandbox/sandbox.ts';
export type {
  LanguageSoftware,
  SandboxSoftware,
  SoftwareVersion,
} from './sandbox/software/software.ts';
export type { Protection, ProtectionName, SecurityReport } from './sandbox/protection.ts';
export type { JsonText, LanguageName, OutputStream, ToolFailure } from './protocol/messages.ts';

export type {
  AnswerSettings,
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  ImageDataBlock,
  ImageMediaType,
  InputBlock,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelStreamEnd,
  ModelStreamPart,
  ModelTool,
  OpaqueBlock,
  StopReason,
  TextBlock,
  ThinkingBlock,
  TokenUsage,
  ToolChoice,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from './models/language-model.ts';
export { scriptedModel, type ScriptedAnswer, type ScriptedTurn } from './models/scripted.ts';
