import type { ExecutionEvent, ExecutionResult } from '../execution/execution.ts';
import type { Language } from '../languages/language.ts';
import type { LanguageName } from '../protocol/messages.ts';
import {
  checkLabels,
  checkTools,
  type SessionExecuteOptions,
  type SessionLabels,
} from '../sessions/executor-options.ts';
import type { Executor } from '../sessions/executor.ts';
import { offeredLanguages } from '../sessions/language-choice.ts';
import type { SessionInfo } from '../sessions/session-info.ts';
import type { PtcErrorCode } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import { guardedListener } from '../shared/guarded-listener.ts';
import type { JsonObject } from '../shared/json.ts';
import type { PolicyOptions } from '../tools/policy-gate.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { RunArgument } from '../tools/tool.ts';
import { CallRecord } from './call-record.ts';
import {
  codePrompt,
  codeToolDefinition,
  EXECUTE_CODE,
  readCodeInput,
} from './code-tool-definition.ts';
import { CodeSession, type ClosedSession } from './code-session.ts';
import { describeResult } from './describe-result.ts';
import type { ProgramState } from './program-state.ts';
import { toldError } from './told-error.ts';

/** @typeParam Context - What the tools have to be given with a call. */
export interface CodeToolOptions<Context = never> {
  /** Where the programs run. It stays yours to close. */
  readonly executor: Executor;
  /** The tools that programs may call. @default the executor's */
  readonly tools?: ToolSet<Context>;
  /** What programs may be written in, of the executor's languages; the first is that of a call that names none. @default the executor's */
  readonly languages?: readonly LanguageName[];
  /** The key of the session that the programs share, such as a conversation's id. @default a random one */
  readonly session?: string;
  /** Whether the session outlives this process: another one goes on with it by its key. Docker only. @default false */
  readonly persistent?: boolean;
  /** What the policy and the tools are told, such as whose conversation it is. @default none */
  readonly labels?: SessionLabels;
  /** Which calls of tools run. @default the executor's */
  readonly policy?: PolicyOptions;
  /** Time limit of a program. @default the executor's */
  readonly timeoutMs?: number;
}

/** How one call of `execute_code` is answered. */
export interface CodeToolCallOptions extends Omit<SessionExecuteOptions, 'language' | 'onEvent'> {
  /** Hears of the program, its output and its tool calls as they happen. */
  readonly onEvent?: (event: CodeEvent) => void;
}

/** What happens while a call of `execute_code` is answered, in order. */
export type CodeEvent =
  /** A sandbox was started or taken over for the program. */
  | { readonly type: 'session-opened'; readonly session: SessionInfo }
  | { readonly type: 'code-start'; readonly language: LanguageName; readonly code: string }
  | ExecutionEvent
  | ({ readonly type: 'code-end' } & CodeEnd);

/** How a program ended: with a result, or with a fault of the host, such as that no sandbox could be had. */
export type CodeEnd =
  | { readonly result: ExecutionResult; readonly error: undefined }
  | {
      readonly result: undefined;
      /** The code and the message of what `CodeTool.execute` throws; the run of a conversation may end with another one. */
      readonly error: { readonly code: PtcErrorCode; readonly message: string };
    };

/** What a model gets for a call of `execute_code`. */
export interface CodeAnswer {
  /** What the program printed, and what went wrong; of a program that was stopped, also what its tool calls came to. */
  readonly text: string;
  /** Whether the program failed, or the call could not be understood. */
  readonly isError: boolean;
  /** What came of the program; undefined if none was run. */
  readonly result: ExecutionResult | undefined;
}

/**
 * `execute_code` for any agent loop: give the model its name, description and schema and add `systemPrompt` to yours; for
 * each call of the model, give back the text that `execute` answers with.
 */
export class CodeTool<Context = never> implements AsyncDisposable {
  readonly name: string = EXECUTE_CODE;
  readonly description: string;
  /** JSON Schema of the input: an object with `code`, and `language` if there is a choice. */
  readonly inputSchema: JsonObject;
  readonly #options: CodeToolOptions;
  readonly #languages: readonly Language[];
  readonly #labels: SessionLabels;
  readonly #session: CodeSession;

  /**
   * @param options - `state`: what is known of programs that ran before, such as in another process.
   * @throws PtcError `OPTION_INVALID`.
   */
  constructor(options: CodeToolOptions<Context> & { readonly state?: ProgramState }) {
    this.#options = options;
    this.#languages = offeredLanguages(options.languages ?? options.executor.languages);
    checkTools(options.tools);
    this.#labels = checkLabels(options.labels);
    ({ description: this.description, inputSchema: this.inputSchema } = codeToolDefinition(
      this.#languages,
    ));
    const { executor, session: key, persistent, state } = options;
    const labels = this.#labels;
    this.#session = new CodeSession({ executor, key, persistent, labels, state });
  }

  /** What to add to the system prompt: how to use `execute_code`, and the tools that programs can call now. */
  get systemPrompt(): string {
    return codePrompt(this.#tools, this.#languages);
  }

  /** The key of the session that the programs share. */
  get sessionKey(): string {
    return this.#session.key;
  }

  /** What is known of the programs that ran. */
  get state(): ProgramState {
    return this.#session.state;
  }

  set state(state: ProgramState) {
    this.#session.state = state;
  }

  /**
   * What is known of that session, whoever opened it. Undefined if the executor has none of the key: none was opened yet, it
   * has ended since, or another process has it.
   */
  async session(): Promise<SessionInfo | undefined> {
    return this.#session.info();
  }

  /**
   * Answers a call of the model. The session stays for later calls. Between two calls it may expire or be evicted; the
   * next answer then says that its variables are gone.
   * @param input - What the model wrote, as it came: an object, or its JSON text.
   * @throws PtcError as `Executor.acquire` and `Session.execute`; what the code or the model does wrong is in the answer.
   */
  async execute(
    input: unknown,
    ...[options = {}]: RunArgument<CodeToolCallOptions, Context>
  ): Promise<CodeAnswer> {
    const read = readCodeInput(input, this.#languages);
    if ('problem' in read) return { text: read.problem, isError: true, result: undefined };
    const { language, code } = read;
    const { timeoutMs, policy } = this.#options;
    const onEvent = guardedListener(options.onEvent ?? (() => {}));
    const record = new CallRecord();
    const settings = {
      ...given({ timeoutMs, policy }),
      tools: this.#tools,
      ...given(options),
      labels: { ...this.#labels, ...options.labels },
      language,
      callLog: record.logWith(options.callLog),
      onEvent,
    };
    onEvent({ type: 'code-start', language, code });
    try {
      const { result, stateWasLost } = await this.#session.execute(code, settings, (session) =>
        onEvent({ type: 'session-opened', session }),
      );
      onEvent({ type: 'code-end', result, error: undefined });
      const text = describeResult(result, stateWasLost, record);
      return { text, isError: !result.success, result };
    } catch (cause) {
      onEvent({ type: 'code-end', result: undefined, error: toldError(cause) });
      throw cause;
    }
  }

  /**
   * Keeps the session from being evicted between calls, as during one run of an agent loop. It is still opened by the
   * first call.
   * @param onClosed - Hears if the session is closed meanwhile, such as because it expired.
   * @returns What ends both.
   */
  hold(onClosed: (closed: ClosedSession) => void = () => {}): () => Promise<void> {
    return this.#session.hold(guardedListener(onClosed));
  }

  /**
   * Ends the session of the key, whoever opened it, and returns when its sandbox is gone. The next call opens a new one.
   * @throws PtcError `SESSION_HELD` if another process or executor has it: nothing has changed then. Otherwise as
   * `Executor.closeSessionOf`.
   */
  async reset(): Promise<void> {
    await this.#session.reset();
  }

  /** Ends the session if it has a random key; else it stays for whoever acquires the key. */
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

/** Makes `execute_code` for an agent loop of your own. @throws PtcError `OPTION_INVALID`. */
export function codeTool<Context = never>(options: CodeToolOptions<Context>): CodeTool<Context> {
  return new CodeTool(options);
}
