import type { ExecutionEvent, ExecutionResult } from '../../execution/execution.ts';
import type { Language } from '../../languages/language.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import {
  checkDelay,
  checkTools,
  type SessionExecuteOptions,
} from '../../sessions/executor-options.ts';
import { checkKeyText, checkLabels, type SessionLabels } from '../../sessions/keys-and-labels.ts';
import type { Executor } from '../../sessions/executor.ts';
import { offeredLanguages } from '../../sessions/language-choice.ts';
import type { SessionInfo } from '../../sessions/session/session-info.ts';
import { PtcError, type PtcErrorCode } from '../../shared/errors.ts';
import { given } from '../../shared/given.ts';
import { guardedListener } from '../../shared/async/guarded-listener.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/option-names.ts';
import { PROGRAM_NAMES } from '../../sessions/option-names.ts';
import { PacedListener } from '../../shared/async/paced-listener.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import type { PolicyOptions } from '../../tools/policy/policy-gate.ts';
import type { ToolSet } from '../../tools/registry.ts';
import type { RunArgument } from '../../tools/tool.ts';
import { CallRecord } from '../call-record.ts';
import {
  codePrompt,
  codeToolDefinition,
  EXECUTE_CODE,
  readCodeInput,
} from './code-tool-definition.ts';
import { CodeSession, type ClosedSession } from './code-session.ts';
import { describeResult } from './describe-result.ts';
import type { ProgramState } from './program-state.ts';
import { errorSummary } from '../events/error-summary.ts';

/** @typeParam Context - The type of the context that the tools need with each call. */
export interface CodeToolOptions<Context = never> {
  /** Where the programs run. You close it; the code tool does not. */
  readonly executor: Executor;
  /** The tools that programs may call. @default the executor's */
  readonly tools?: ToolSet<Context>;
  /**
   * The languages of programs, from the executor's. The first is used if a call names none.
   * @default the executor's
   */
  readonly languages?: readonly LanguageName[];
  /**
   * The key of the session that the programs share, such as a conversation's id. @default a random
   * one
   */
  readonly session?: string;
  /**
   * Whether the session outlives this process, so that another process can continue it by its key.
   * Docker only. @default false
   */
  readonly persistent?: boolean;
  /**
   * How long a program waits for its session if another process or executor has it. Then
   * `SESSION_HELD` is thrown. @default 0
   */
  readonly waitMs?: number;
  /** Labels for the policy, the tools and the audit log, such as a user's id. @default none */
  readonly labels?: SessionLabels;
  /** Decides which tool calls are allowed. @default the executor's */
  readonly policy?: PolicyOptions;
  /** Time limit of a program, in milliseconds. @default the executor's */
  readonly timeoutMs?: number;
}

/** Options for one call of `execute_code`. */
export interface CodeToolCallOptions extends Omit<SessionExecuteOptions, 'language' | 'onEvent'> {
  /**
   * Called with the events of the program, its output and its tool calls as they happen. If it
   * returns a promise, the program's further tool calls wait until it settles. The time limit goes
   * on.
   */
  readonly onEvent?: (event: CodeEvent) => unknown;
}

const PAGE = 'docs/agent-loops.md';

const CODE_TOOL: OptionsObject<CodeToolOptions & { readonly state?: ProgramState }> = {
  of: 'codeTool',
  names: {
    executor: true,
    tools: true,
    languages: true,
    session: true,
    persistent: true,
    waitMs: true,
    labels: true,
    policy: true,
    timeoutMs: true,
    state: true,
  },
  page: PAGE,
  otherWords: { key: 'session', timeout: 'timeoutMs' },
};

const { language: _language, ...CALL_NAMES } = PROGRAM_NAMES;
const CODE_TOOL_CALL: OptionsObject<CodeToolCallOptions> = {
  of: 'CodeTool.execute',
  names: CALL_NAMES,
  page: PAGE,
  otherWords: { timeout: 'timeoutMs' },
};

/** The events of one call of `execute_code`, in order. */
export type CodeEvent =
  /** A sandbox was started or taken over for the program. */
  | { readonly type: 'session-opened'; readonly session: SessionInfo }
  | { readonly type: 'code-start'; readonly language: LanguageName; readonly code: string }
  | ExecutionEvent
  | ({ readonly type: 'code-end' } & CodeEnd);

/**
 * How a program ended: with a result, or with an error of the host, for example because no sandbox
 * could be started.
 */
export type CodeEnd =
  | { readonly result: ExecutionResult; readonly error: undefined }
  | {
      readonly result: undefined;
      /** Describes the error that `CodeTool.execute` throws. A run may end with another one. */
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    };

/** The answer to the model's call of `execute_code`. */
export interface CodeAnswer {
  /**
   * What the program printed and how it failed. If the program was stopped, also the outcomes of
   * its tool calls.
   */
  readonly text: string;
  /** Whether the program failed, or the input of the call was invalid. */
  readonly isError: boolean;
  /** The result of the program; undefined if no program ran. */
  readonly result: ExecutionResult | undefined;
}

/**
 * `execute_code` for any agent loop. Give the model its name, description and schema, and add
 * `systemPrompt` to your system prompt. For each call of the model, return the text of `execute`.
 */
export class CodeTool<Context = never> implements AsyncDisposable {
  readonly name: string = EXECUTE_CODE;
  readonly description: string;
  /**
   * JSON Schema of the input: an object with `code`, and with `language` if there is more than one.
   */
  readonly inputSchema: JsonObject;
  readonly #options: CodeToolOptions;
  readonly #languages: readonly Language[];
  readonly #labels: SessionLabels;
  readonly #session: CodeSession;

  /**
   * @param options - `state`: what is known about earlier programs, for example of another process.
   * @throws PtcError `OPTION_INVALID`.
   */
  constructor(options: CodeToolOptions<Context> & { readonly state?: ProgramState }) {
    checkOptionNames(options, CODE_TOOL);
    if (typeof options.executor?.acquire !== 'function') {
      throw new PtcError(
        'OPTION_INVALID',
        'executor is missing. Set it to where programs run: new SandboxExecutor({ tools }).',
        { details: { option: 'executor' } },
      );
    }
    this.#options = options;
    this.#languages = offeredLanguages(options.languages ?? options.executor.languages);
    checkTools(options.tools);
    this.#labels = checkLabels(options.labels);
    const { limits, timeoutMs } = options.executor;
    ({ description: this.description, inputSchema: this.inputSchema } = codeToolDefinition(
      this.#languages,
      { ...limits, timeoutMs: options.timeoutMs ?? timeoutMs },
    ));
    const { executor, session: key, persistent, waitMs, state } = options;
    if (key !== undefined) checkKeyText('session', key);
    if (waitMs !== undefined) checkDelay('waitMs', waitMs);
    const labels = this.#labels;
    this.#session = new CodeSession({ executor, key, persistent, waitMs, labels, state });
  }

  /**
   * Add this to the system prompt: how to use `execute_code`, and the tools that programs can call.
   */
  get systemPrompt(): string {
    return codePrompt(this.#tools, this.#languages);
  }

  /** The key of the session that the programs share. */
  get sessionKey(): string {
    return this.#session.key;
  }

  /** What is known about the variables of earlier programs. */
  get state(): ProgramState {
    return this.#session.state;
  }

  set state(state: ProgramState) {
    this.#session.state = state;
  }

  /**
   * Returns information about the session, no matter who opened it. Undefined if the executor has
   * no session for the key: none was opened yet, it has ended, or another process has it.
   */
  async session(): Promise<SessionInfo | undefined> {
    return this.#session.info();
  }

  /**
   * Answers a call of the model. The session stays open for later calls. It may expire or be
   * evicted between two calls; the next answer then says that the variables are gone.
   * @param input - The input as the model wrote it: an object, or its JSON text.
   * @throws PtcError as `Executor.acquire` and `Session.execute`. Mistakes of the program or the
   *   model are in the answer instead.
   */
  async execute(
    input: unknown,
    ...[options = {}]: RunArgument<CodeToolCallOptions, Context>
  ): Promise<CodeAnswer> {
    checkOptionNames(options, CODE_TOOL_CALL);
    const read = readCodeInput(input, this.#languages);
    if ('problem' in read) return { text: read.problem, isError: true, result: undefined };
    const { language, code } = read;
    const { timeoutMs, policy } = this.#options;
    const listener = new PacedListener(options.onEvent);
    const record = new CallRecord();
    const settings = {
      ...given({ timeoutMs, policy }),
      tools: this.#tools,
      ...given(options),
      labels: { ...this.#labels, ...options.labels },
      language,
      callLog: record.logWith(options.callLog),
      onEvent: (event: CodeEvent) => {
        listener.tell(event);
        return listener.taken;
      },
    };
    listener.tell({ type: 'code-start', language, code });
    try {
      const { result, stateWasLost } = await this.#session.execute(code, settings, (session) =>
        listener.tell({ type: 'session-opened', session }),
      );
      listener.tell({ type: 'code-end', result, error: undefined });
      const text = describeResult(result, stateWasLost, record);
      return { text, isError: !result.success, result };
    } catch (cause) {
      listener.tell({ type: 'code-end', result: undefined, error: errorSummary(cause) });
      throw cause;
    }
  }

  /**
   * Prevents eviction of the session between calls, for example during one run of an agent loop.
   * The session still opens with the first call.
   * @param onClosed - Called if the session closes meanwhile, for example because it expired.
   * @returns A function that releases the session and stops calling `onClosed`.
   */
  hold(onClosed: (closed: ClosedSession) => void = () => {}): () => Promise<void> {
    return this.#session.hold(guardedListener(onClosed));
  }

  /**
   * Ends the session of the key, no matter who opened it, and returns when its sandbox is gone. The
   * next call opens a new session.
   * @throws PtcError `SESSION_HELD` if another process or executor has it; nothing has changed
   *   then. Otherwise as `Executor.closeSessionOf`.
   */
  async reset(): Promise<void> {
    await this.#session.reset();
  }

  /**
   * Ends the session if its key is random. Otherwise the session stays open for others with the
   * key.
   */
  async close(): Promise<void> {
    if (this.#options.session === undefined) await this.#session.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #tools(): ToolSet {
    return this.#options.tools ?? this.#options.executor.tools;
  }
}

/** Creates `execute_code` for your own agent loop. @throws PtcError `OPTION_INVALID`. */
export function codeTool<Context = never>(options: CodeToolOptions<Context>): CodeTool<Context> {
  return new CodeTool(options);
}
