/**
 * What you need to write a provider: the contract, functions that start a runner and connect to it,
 * the messages for a `Transport` of your own, and functions that find the sandboxes of dead hosts.
 * @module sandboxed-ptc/provider
 */
export { PtcError, type PtcErrorCode, type PtcErrorOptions } from '../shared/errors.ts';
export type { JsonObject, JsonValue } from '../shared/json/json.ts';
export {
  type Availability,
  type ProviderCallOptions,
  DEFAULT_LIMITS,
  type FoundSandbox,
  type ProgressListener,
  type ResourceLimits,
  type Sandbox,
  type SandboxProvider,
  type SandboxSpec,
  type SandboxVerdict,
} from './sandbox.ts';
export type {
  HeldKey,
  HoldKeyOptions,
  KeyHolder,
  KeyPatience,
  KeyState,
  SessionKeys,
  WaitForKeyOptions,
} from './keys/keys.ts';
export type { Protection, ProtectionName, SecurityReport } from './protection.ts';
export { judgeSandbox, removeOrphans, type SandboxToJudge } from './ownership/orphans.ts';
export { Ownership } from './ownership/ownership.ts';
export type { LanguageSoftware, SandboxSoftware, SoftwareVersion } from './software/software.ts';
export { readSoftware, type SoftwareAnswer, softwareCommand } from './software/ask-software.ts';
export { sandboxEnvironment } from './environment.ts';
export { runnerCommand } from './runner-command.ts';
export { type ProcessOptions, startProcess } from './process-sandbox.ts';
export {
  connectStreams,
  type RunnerStreams,
  StreamTransport,
  type StreamTransportOptions,
} from '../protocol/stream-transport.ts';
export type { Transport, TransportListener } from '../protocol/transport.ts';
export type { CallLimits } from '../protocol/frames.ts';
export type {
  FileAnswerMessage,
  FileCancelMessage,
  FileFailure,
  FileOperation,
  FileRequestMessage,
} from '../protocol/file-messages.ts';
export type {
  CallGivenUpMessage,
  ToolCallMessage,
  WaitingMessage,
} from '../protocol/call-messages.ts';
export type {
  AttachedMessage,
  ConfiguredMessage,
  AttachMessage,
  CancelMessage,
  ConfigureMessage,
  ExecuteMessage,
  ExitMessage,
  ExtendMessage,
  ExecutionError,
  HostMessage,
  ImageMessage,
  InterpreterEnd,
  JsonText,
  LanguageName,
  OutcomeMessage,
  OutputDeltaMessage,
  OutputStream,
  ReadyMessage,
  ReportMessage,
  RunnerMessage,
  ToolFailure,
  ToolResultMessage,
  ToolStub,
  ValueMessage,
} from '../protocol/messages.ts';
