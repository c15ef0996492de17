import type { LanguageName } from '../../protocol/messages.ts';
import { checkExecutor, type Executor } from '../../sessions/executor.ts';
import { checkKeyText } from '../../sessions/options/keys-and-labels.ts';
import type { SessionExecuteOptions } from '../../sessions/options/executor-options.ts';
import type { Labels } from '../../shared/labels.ts';
import { checkPolicyNames, PROGRAM_NAMES } from '../../sessions/options/option-names.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { checkDelay, checkWait } from '../../shared/options/option-values.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { checkTools, type ToolsOption } from '../../tools/registry/tools-option.ts';
import type { CodeEvent } from './code-event.ts';
import type { ClosedSession } from './code-session.ts';
import type { InputFiles } from '../files/input-files.ts';
import type { ProgramState } from './program-state.ts';
import { checkCatalog, type CatalogMode } from './tool-catalog.ts';

/** @typeParam Context - The type of the context that the tools need with each call. */
export interface CodeToolOptions<Context = never> {
  /** Where the programs run. You close it; the code tool does not. */
  readonly executor: Executor;
  /** The tools that programs may call. @default the executor's */
  readonly tools?: ToolsOption<Context>;
  /** How the model learns of the tools: from its prompt, or by search. @default 'auto' */
  readonly catalog?: CatalogMode;
  /**
   * The languages of programs, from the executor's. The first is used if a call names none.
   * @default the executor's
   */
  readonly languages?: readonly LanguageName[];
  /**
   * The key of the session that the programs share, such as a conversation's id. @default a random
   * one
   */
  readonly sessionKey?: string;
  /**
   * Whether the session outlives this process, so that another process can continue it by its key.
   * Docker and Kubernetes only. @default false
   */
  readonly persistent?: boolean;
  /**
   * How long a program waits for its session if another process or executor uses it. Then
   * `SESSION_HELD` is thrown. @default 0
   */
  readonly sessionWaitMs?: number;
  /** Labels for the policy, the tools and the audit log, such as a user's id. @default none */
  readonly labels?: Labels;
  /** Decides which tool calls are allowed. @default the executor's */
  readonly policy?: PolicyOptions;
  /** Time limit of a program, in milliseconds. @default the executor's */
  readonly programTimeoutMs?: number;
  /**
   * How long a call waits for its program, in milliseconds. A program that takes longer goes on, and
   * the model gets what it printed so far and its id, with which it waits again
   * (docs/long-programs.md). @default until the program has ended
   */
  readonly yieldAfterMs?: number;
  /**
   * How much text of one result the model gets, in bytes of UTF-8: 1000 or more. A longer one is cut
   * in its middle, and kept in a file of the session (docs/long-output.md). What is known about the
   * tool calls of a program that was stopped is never cut. @default 50000
   */
  readonly maxResultBytes?: number;
  /**
   * Whether the model gets a hint if its program called tools one after another that could have run
   * at the same time, or made the same call many times (docs/tools.md): one at most for a program.
   * @default true
   */
  readonly hints?: boolean;
  /**
   * Called with each error that `execute` throws, before it throws it: the host could not run the
   * program, for example because no sandbox starts. Many agent loops catch what tools throw and
   * show it to the model instead, so that your code would not learn of it. Not called if the signal
   * of the call is aborted.
   * @default a warning of the process, with the code `PTC_HOST_ERROR`
   */
  readonly onHostError?: (error: unknown) => void;
}

/** Options for one call of `execute_code`. */
export interface CodeToolCallOptions extends Omit<
  SessionExecuteOptions,
  'language' | 'labels' | 'onEvent'
> {
  /**
   * Labels of this call. They override labels of the code tool with the same names. The labels of
   * the session do not count. @default those of the code tool
   */
  readonly labels?: Labels;
  /**
   * Called with the events of the program, its output and its tool calls as they happen. If it
   * returns a promise, the program's further tool calls wait until it settles. The time limit goes
   * on.
   */
  readonly onEvent?: (event: CodeEvent) => unknown;
  /**
   * Called with the error that this call throws, instead of the option of `codeTool`, for example to
   * abort the loop that made the call. @default the option of `codeTool`
   */
  readonly onHostError?: (error: unknown) => void;
}

/** Options of one hold of the session. */
export interface CodeToolHoldOptions {
  /**
   * Called if the session closes before the hold is released, for example because it expired.
   * @default nothing is called
   */
  readonly onClosed?: (closed: ClosedSession) => void;
}

/** What a code tool of a conversation has besides. */
export interface OfConversation {
  readonly state?: ProgramState;
  readonly files?: InputFiles;
  /** As `CodeSessionOptions.closing`. */
  readonly closing?: AbortSignal;
}

const PAGE = 'docs/agent-loops.md';

export const CODE_TOOL: OptionsObject<CodeToolOptions & OfConversation> = {
  of: 'codeTool',
  names: {
    executor: true,
    tools: true,
    catalog: true,
    languages: 'array',
    sessionKey: 'text',
    persistent: 'boolean',
    sessionWaitMs: 'number',
    labels: 'plain',
    policy: true,
    programTimeoutMs: 'number',
    yieldAfterMs: 'number',
    maxResultBytes: 'number',
    hints: 'boolean',
    onHostError: 'function',
    state: true,
    files: true,
    closing: true,
  },
  page: PAGE,
  otherWords: {
    session: 'sessionKey',
    key: 'sessionKey',
    timeout: 'programTimeoutMs',
    timeoutMs: 'programTimeoutMs',
    waitMs: 'sessionWaitMs',
  },
};

/** @throws PtcError `OPTION_INVALID`. Languages, labels and `maxResultBytes` are checked where they are read. */
export function checkCodeToolOptions<Context>(
  options: CodeToolOptions<Context> & OfConversation,
): void {
  checkOptionNames(options, CODE_TOOL);
  const { executor, tools, catalog, sessionKey, sessionWaitMs, programTimeoutMs, policy } = options;
  const { yieldAfterMs } = options;
  checkExecutor(executor);
  checkTools(tools);
  checkCatalog(catalog);
  if (sessionKey !== undefined) checkKeyText('sessionKey', sessionKey);
  if (sessionWaitMs !== undefined) checkWait('sessionWaitMs', sessionWaitMs);
  if (programTimeoutMs !== undefined) checkDelay('programTimeoutMs', programTimeoutMs);
  if (yieldAfterMs !== undefined) checkDelay('yieldAfterMs', yieldAfterMs);
  if (policy !== undefined) checkPolicyNames(policy);
}

const { language: _language, ...CALL_NAMES } = PROGRAM_NAMES;
export const CODE_TOOL_CALL: OptionsObject<CodeToolCallOptions> = {
  of: 'CodeTool.execute',
  names: { ...CALL_NAMES, onHostError: 'function' },
  page: PAGE,
  otherWords: { timeout: 'timeoutMs' },
};

export const CODE_TOOL_HOLD: OptionsObject<CodeToolHoldOptions> = {
  of: 'CodeTool.hold',
  names: { onClosed: 'function' },
  page: PAGE,
};
