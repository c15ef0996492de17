import type { Language } from '../../languages/language.ts';
import type { ModelTool } from '../../models/language-model.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import { checkLabels } from '../../sessions/options/keys-and-labels.ts';
import type { Labels } from '../../shared/labels.ts';
import { offeredLanguages } from '../../sessions/options/language-choice.ts';
import { checkProgramValues } from '../../sessions/options/option-names.ts';
import type { SessionInfo } from '../../sessions/session/session-info.ts';
import { guardedListener } from '../../shared/listeners/guarded-listener.ts';
import { checkOptionNames } from '../../shared/options/option-names.ts';
import { warn } from '../../shared/process-warning.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { copyPolicy, PolicyGate, type PolicyOptions } from '../../tools/policy/policy-gate.ts';
import { toolSetOf } from '../../tools/registry/tools-option.ts';
import type { ToolSet } from '../../tools/registry/tool-set.ts';
import type { SessionFiles } from '../../tools/session-files.ts';
import type { OptionsArgument } from '../../tools/tool.ts';
import { ConversationFiles } from '../files/conversation-files.ts';
import { awaitSoftware } from './software/await-software.ts';
import { refusedAnswer, type CodeAnswer } from './code-answer.ts';
import { codeToolDefinition, EXECUTE_CODE, readCodeInput } from './code-tool-definition.ts';
import { CodeSession, type SessionHold } from './code-session.ts';
import {
  CODE_TOOL,
  CODE_TOOL_CALL,
  CODE_TOOL_HOLD,
  checkCodeToolOptions,
  type CodeToolCallOptions,
  type CodeToolHoldOptions,
  type CodeToolOptions,
  type OfConversation,
} from './code-tool-options.ts';
import { programCall, runToEnd } from './program-call.ts';
import type { ProgramState } from './program-state.ts';
import { errorSummary } from '../events/error-summary.ts';
import { ResultTexts } from '../long-text/result-texts.ts';
import { programTools, type ProgramTools } from './program-tools.ts';
import { codePrompt, type CatalogOptions } from './tool-catalog.ts';
import { LongPrograms } from '../long-programs/long-programs.ts';

/**
 * `execute_code` for any agent loop. Give the model its name, description and schema, and add
 * `systemPrompt` to your system prompt. For each call of the model, return the text of `execute`.
 */
export class CodeTool<Context = never> implements AsyncDisposable {
  readonly name: string = EXECUTE_CODE;
  /**
   * The files of the session, which programs find in `/tmp`. Each method acquires the session of the
   * key, and opens it if there is none. It throws what `Executor.acquire` throws too.
   */
  readonly files: SessionFiles = new ConversationFiles(async (signal) =>
    this.#session.openForFiles(signal),
  );
  readonly #options: CodeToolOptions;
  readonly #languages: readonly Language[];
  readonly #tools: ToolSet;
  readonly #policy: PolicyOptions | undefined;
  readonly #labels: Labels;
  readonly #session: CodeSession;
  readonly #texts: ResultTexts;
  /** Undefined if each call waits until its program has ended. */
  readonly #long: LongPrograms | undefined;
  #definition: ModelTool | undefined;

  /**
   * @param options - `state`: what is known about earlier programs, for example of another process;
   *   `files`: those of the conversation.
   * @throws PtcError `OPTION_INVALID`.
   */
  constructor(options: CodeToolOptions<Context> & OfConversation) {
    checkCodeToolOptions(options);
    this.#options = options;
    this.#languages = offeredLanguages(options.languages ?? options.executor.languages);
    this.#labels = checkLabels(options.labels);
    const { executor, sessionKey: key, persistent, sessionWaitMs, state, files, closing } = options;
    this.#tools = options.tools === undefined ? options.executor.tools : toolSetOf(options.tools);
    this.#policy = copyPolicy(options.policy);
    PolicyGate.from(this.#policy, [options.executor.tools, this.#tools]);
    this.#session = new CodeSession({
      executor,
      tools: this.#tools,
      key,
      persistent,
      sessionWaitMs,
      labels: this.#labels,
      state,
      files,
      closing,
    });
    this.#texts = new ResultTexts({ ...options, session: this.#session });
    const { yieldAfterMs } = options;
    const parts = { session: this.#session, texts: this.#texts };
    this.#long =
      yieldAfterMs === undefined ? undefined : new LongPrograms({ ...parts, yieldAfterMs });
  }

  /**
   * How to write programs, what they find, and their limits. It does not change after it was first
   * read, so that services can cache it. It names interpreters and libraries if the executor knew
   * them then, as it does after `SandboxExecutor.warmUp`.
   */
  get description(): string {
    return this.#define().description;
  }

  /**
   * Waits until the executor knows its interpreters and libraries, for two seconds at most, so that
   * `description` names them. Does nothing after `description` was first read. Never throws.
   */
  async findSoftware(signal?: AbortSignal): Promise<void> {
    if (this.#definition === undefined) await awaitSoftware(this.#options.executor, signal);
  }

  /**
   * JSON Schema of the input: `code`, `language` if there is more than one, `max_output_tokens`, and
   * with `yieldAfterMs` also `program`, `wait_ms` and `stop`.
   */
  get inputSchema(): JsonObject {
    return this.#define().inputSchema;
  }

  #define(): ModelTool {
    const { executor, programTimeoutMs: timeoutMs = executor.programTimeoutMs } = this.#options;
    const { yieldAfterMs } = this.#options;
    const limits = { ...executor.limits, timeoutMs, yieldAfterMs };
    return (this.#definition ??= codeToolDefinition(this.#languages, limits, executor.software));
  }

  /**
   * Add this to the system prompt: how to use `execute_code`, and the tools that programs can call.
   * @throws PtcError `TOOL_NAME_CLASH` if `catalog` is `search` and a tool has the name of one with
   *   which programs search.
   */
  get systemPrompt(): string {
    const policy = this.#policy ?? this.#options.executor.policy;
    return codePrompt(this.#tools, this.#catalog(policy));
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
  async sessionInfo(): Promise<SessionInfo | undefined> {
    return this.#session.info();
  }

  /**
   * Answers a call of the model. The session stays open for later calls. It may expire, be evicted
   * or be handed over to another process between two calls. If the variables are gone, the next
   * answer says so.
   * @param input - The input as the model wrote it: an object, or its JSON text.
   * @throws PtcError as `Executor.acquire` and `Session.execute`; `onHostError` is called first.
   *   Mistakes of the program or the model are in the answer instead.
   */
  async execute(
    input: unknown,
    ...[options = {}]: OptionsArgument<CodeToolCallOptions, Context>
  ): Promise<CodeAnswer> {
    let checked: CodeToolCallOptions = {};
    try {
      checkOptionNames(options, CODE_TOOL_CALL);
      checked = options;
      checkProgramValues(options);
      return await this.#answer(input, options);
    } catch (error) {
      this.#tellHostError(error, checked);
      throw error;
    }
  }

  async #answer(input: unknown, options: CodeToolCallOptions): Promise<CodeAnswer> {
    const goesOn = this.#long?.goOn(input, options);
    if (goesOn !== undefined) return goesOn;
    const read = readCodeInput(input, this.#languages);
    if ('problem' in read) return refusedAnswer(read.problem);
    const { maxBytes } = read;
    const programs = this.#toolsOf(read.language, options);
    const own = this.#options;
    const call = programCall({ ...read, own, call: options, programs, labels: this.#labels });
    const { signal, callLog } = options;
    if (this.#long !== undefined) return this.#long.run(call, { signal, callLog, maxBytes });
    const { record, hint } = call;
    return runToEnd(call, this.#session, async (run, session) =>
      this.#texts.ofProgram({ ...run, hint: hint.text }, record, session, signal, maxBytes),
    );
  }

  /**
   * Shortens a long result of another tool to `maxResultBytes`, as `execute` does with output. If the
   * session is open, all of the result is kept in a file there, after the programs that already run
   * or wait. Never throws.
   */
  async shorten(text: string, options: { readonly signal?: AbortSignal } = {}): Promise<string> {
    return this.#texts.ofTool(text, options.signal);
  }

  /**
   * Prevents eviction of the session between calls, for example during one run of an agent loop.
   * The session still opens with the first call.
   * @throws PtcError `OPTION_INVALID`
   */
  hold(options: CodeToolHoldOptions = {}): SessionHold {
    checkOptionNames(options, CODE_TOOL_HOLD);
    const { onClosed = () => {} } = options;
    return this.#session.hold({ onClosed: guardedListener(onClosed) });
  }

  /**
   * Stops the program that an earlier call started and that still runs, if there is one, and returns
   * when it has ended. The model can still read its end.
   */
  async stopProgram(): Promise<void> {
    await this.#long?.stop();
  }

  /**
   * Ends the session of the key, no matter who opened it, and returns when its sandbox is gone. The
   * next call opens a new session.
   * @throws PtcError `SESSION_HELD` if another process or executor uses it; nothing has changed
   *   then. Otherwise as `Executor.closeSession`.
   */
  async reset(): Promise<void> {
    await this.#long?.forget();
    await this.#session.reset();
  }

  /**
   * Stops the program that runs, and ends the session if its key is random. Otherwise the session
   * stays open for others with the key.
   */
  async close(): Promise<void> {
    await this.#long?.forget();
    if (this.#options.sessionKey === undefined) await this.#session.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #toolsOf(name: LanguageName, { tools, policy }: CodeToolCallOptions): ProgramTools {
    return programTools({
      executor: this.#options.executor,
      language: this.#languages.find((one) => one.name === name),
      tools: tools === undefined ? this.#tools : toolSetOf(tools),
      ownTools: this.#tools,
      policy: policy ?? this.#policy,
      catalog: (used) => this.#catalog(used),
    });
  }

  #catalog(policy: PolicyOptions | undefined): CatalogOptions {
    return { catalog: this.#options.catalog, languages: this.#languages, policy };
  }

  #tellHostError(error: unknown, { signal, onHostError }: CodeToolCallOptions): void {
    if (signal?.aborted === true) return;
    const listener = onHostError ?? this.#options.onHostError;
    if (listener !== undefined) guardedListener(listener)(error);
  }
}

/** Creates `execute_code` for your own agent loop. @throws PtcError `OPTION_INVALID`. */
export function codeTool<Context = never>(options: CodeToolOptions<Context>): CodeTool<Context> {
  checkOptionNames(options, CODE_TOOL);
  const { onHostError = warnOfHostError } = options;
  return new CodeTool({ ...options, onHostError });
}

function warnOfHostError(error: unknown): void {
  const advice =
    'Set onHostError, in which you can end your agent loop (docs/agent-loops.md), or the model may answer as if its program had failed.';
  warn(`execute_code: ${errorSummary(error).message} ${advice}`, 'PTC_HOST_ERROR');
}
