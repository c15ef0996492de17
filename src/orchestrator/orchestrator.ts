import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Language } from '../languages/language.ts';
import type { ModelMessage, TokenUsage } from '../models/language-model.ts';
import { checkLabels, type SessionLabels } from '../sessions/executor-options.ts';
import type { Executor } from '../sessions/executor.ts';
import { offeredLanguages } from '../sessions/language-choice.ts';
import { SandboxExecutor } from '../sessions/sandbox-executor.ts';
import type { SessionInfo } from '../sessions/session-info.ts';
import { PtcError } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import type { JsonValue } from '../shared/json.ts';
import { PolicyGate } from '../tools/policy-gate.ts';
import { ToolRegistry } from '../tools/registry.ts';
import type { RunArgument, Tool } from '../tools/tool.ts';
import { answerSettings } from './answer-settings.ts';
import { CodeTool } from './code-tool.ts';
import { ContextWindow } from './context/context-window.ts';
import { Conversation, type BegunRun } from './conversation.ts';
import type { ConversationDocument } from './conversation-document.ts';
import { conversationStart } from './conversation-start.ts';
import { eventsOf } from './event-stream.ts';
import { EventTeller, runError, type RunTeller } from './event-teller.ts';
import { checkSupport, readInput } from './input.ts';
import {
  checkOrchestratorOptions,
  checkRunSettings,
  type OrchestratorOptions,
  type RunOptions,
} from './orchestrator-options.ts';
import type { RunEvent, RunInput, RunListener, RunResult } from './run-events.ts';
import { RunEnds } from './run-ends.ts';
import { OutputCheck } from './output-check.ts';
import { runLoop } from './run-loop.ts';
import { RunQueue } from './run-queue.ts';
import { modelTools, systemPrompt } from './system-prompt.ts';
import { ToolUses, type ToolUsesOptions } from './tool-uses.ts';
import { RunLimits } from './turns/run-limits.ts';

/**
 * One conversation with a model that calls your tools from code. Its runs share the history and
 * one sandbox session, and wait for one another.
 */
export class ProgrammaticToolOrchestrator<Context = never> implements AsyncDisposable {
  /** The conversation's own tools: those that it was made with, and those that were added to it. */
  readonly tools: ToolRegistry<Context>;
  readonly #options: OrchestratorOptions;
  readonly #executor: Executor;
  readonly #codeTool: CodeTool;
  readonly #languages: readonly Language[];
  readonly #policy: PolicyGate | undefined;
  readonly #labels: SessionLabels;
  readonly #queue: RunQueue = new RunQueue();
  readonly #closing: AbortController = new AbortController();
  readonly #conversation: Conversation;
  readonly #window: ContextWindow = new ContextWindow();
  readonly #events: EventTeller;

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(options: OrchestratorOptions<Context>) {
    checkOrchestratorOptions(options);
    const start = conversationStart(options);
    this.#options = given(options);
    this.#labels = checkLabels(options.labels);
    this.#events = new EventTeller(options.redact);
    const executor = options.executor ?? new SandboxExecutor(options);
    const { tools = executor.tools, policy = executor.policy } = options;
    const { languages = executor.languages } = options;
    this.#executor = executor;
    this.tools = new ToolRegistry((tools as ToolRegistry<Context>).list());
    this.#languages = offeredLanguages(languages);
    this.#policy = PolicyGate.from(policy, this.tools);
    const { store, persistent, timeoutMs, onFailure = 'keep' } = options;
    const own = given({ session: start.key, persistent, policy: options.policy, timeoutMs });
    const about = { executor, tools: this.tools, languages, labels: this.#labels };
    this.#codeTool = new CodeTool({ ...about, ...own, state: start.state });
    this.#conversation = new Conversation({ codeTool: this.#codeTool, store, start, onFailure });
  }

  /**
   * The conversation up to the last run that ended. To edit it, put another list in its place between two runs; it is copied.
   * @throws PtcError when it is set: `CONVERSATION_INVALID` for messages that could not be sent, or `CONVERSATION_BUSY` while
   * a run or a reset is under way.
   */
  get messages(): readonly ModelMessage[] {
    return this.#conversation.messages;
  }

  set messages(messages: readonly ModelMessage[]) {
    this.#conversation.replace(messages);
  }

  /**
   * The conversation as a document, to go on from it later, in this process or another: give it to the option
   * `conversation`. During a run, it is as if the run ended now: it has what is known of the calls under way.
   * docs/conversations.md has its schema.
   */
  toJSON(): ConversationDocument {
    return this.#conversation.document;
  }

  /**
   * Another conversation that goes on from the same messages with the same tools. Its session is its own, so it is told
   * that its variables are gone.
   * @param options - What is to differ, such as the key of its session.
   */
  fork(options: Partial<OrchestratorOptions<Context>> = {}): ProgrammaticToolOrchestrator<Context> {
    const { session: _session, messages: _start, ...inherited } = this.#options;
    const { version, messages, usage, session } = this.toJSON();
    const key = options.session ?? randomUUID();
    const conversation = { version, messages, usage, session: { ...session, key } };
    return new ProgrammaticToolOrchestrator({
      ...inherited,
      tools: new ToolRegistry(this.tools.list()),
      ...given(options),
      conversation,
    });
  }

  /**
   * Reads what the store has, so that `messages` and `usage` show it; each run does so by itself. Of a run that a process
   * did not end, it says what is known of its calls.
   * @throws PtcError `STORE_FAILED`, `CONVERSATION_INVALID` or `CONVERSATION_CONFLICT`.
   */
  async load(): Promise<void> {
    await this.#queue.add(() => this.#conversation.refresh());
  }

  /** What the model's service counted over all runs, those that threw included. */
  get usage(): TokenUsage {
    return this.#conversation.usage;
  }

  /** The key of the session in which the conversation's code runs. */
  get sessionKey(): string {
    return this.#codeTool.sessionKey;
  }

  /**
   * What is known of that session, whoever opened it. Undefined if the executor has none of the key: none was opened yet, it
   * has ended since, or another process has it.
   */
  async session(): Promise<SessionInfo | undefined> {
    return this.#codeTool.session();
  }

  /**
   * Adds a tool to this conversation alone; the model has it from its next turn on.
   * @throws PtcError as `ToolRegistry.register`.
   */
  registerTool(tool: Parameters<ToolRegistry<Context>['register']>[0]): Tool<Context> {
    return this.tools.register(tool);
  }

  /** The name of the sandbox that is used, such as `docker`. @throws PtcError `SANDBOX_UNAVAILABLE`. */
  async sandboxName(): Promise<string> {
    return this.#executor.sandboxName();
  }

  /**
   * Gives the model a request, a text or a list of blocks, and returns its answer. What was said and done in a run that
   * throws stays in the conversation (`onFailure`), and the next run goes on from there.
   * @throws PtcError after `run-start`: codes that begin with `MODEL_`, `RUN_` and `CONVERSATION_`, `STORE_FAILED`,
   * `ITERATION_LIMIT`, `OUTPUT_INVALID`, `OPTION_INVALID`, `ABORTED`, `CLOSED`, and what `Executor.acquire` and `Session.execute`
   * throw, with the conversation and all of this run in `details.transcript`, and what it took in `details.usage`. Before, and
   * without both: `OPTION_INVALID`, `INPUT_INVALID`, `TOOL_NAME_CLASH`, `ABORTED` or `CLOSED`.
   */
  async run<Output = JsonValue | undefined>(
    input: RunInput,
    ...[options = {}]: RunArgument<RunOptions<Output>, Context>
  ): Promise<RunResult<Output>> {
    const checked = readInput(input);
    const run = this.#queue.add(() => this.#run(checked, options), options.signal);
    return run as Promise<RunResult<Output>>;
  }

  /** The same as `run`, as a stream of events; the last is `run-end`. To stop reading ends the run. */
  stream(
    input: RunInput,
    ...[options = {}]: RunArgument<Omit<RunOptions, 'onEvent'>, Context>
  ): AsyncGenerator<RunEvent> {
    const run = async (onEvent: RunListener, signal: AbortSignal): Promise<RunResult> => {
      const checked = readInput(input);
      return this.#queue.add(() => this.#run(checked, { ...options, signal, onEvent }), signal);
    };
    return eventsOf(run, options.signal);
  }

  /**
   * Ends the session of the conversation's key, whoever opened it, and then forgets the conversation. `usage` stays.
   * @throws PtcError `SESSION_HELD` if another process or executor has the session: nothing has changed then. As `load` if the
   * store fails: the session has ended, the messages are still there, and the model is told that its variables are gone.
   * `CLOSED` if it waited until `close`.
   */
  async resetConversation(): Promise<void> {
    const { signal } = this.#closing;
    await this.#queue.add(async () => this.#conversation.clear(randomUUID(), signal));
  }

  /**
   * Ends the run under way, and the session unless you gave its key. The orchestrator cannot be used again. An executor
   * that you gave stays open.
   */
  async close(): Promise<void> {
    this.#closing.abort(new PtcError('CLOSED', 'This orchestrator is closed. Make a new one.'));
    if (this.#options.executor === undefined) await this.#executor.close();
    await this.#queue.onIdle();
    if (this.#options.executor !== undefined) await this.#codeTool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(input: RunInput, options: RunOptions): Promise<RunResult> {
    this.#closing.signal.throwIfAborted();
    checkRunSettings(options);
    const { instructions, timeLimitMs, ...settings } = { ...this.#options, ...given(options) };
    const { model, mode = 'hybrid', maxIterations = 10 } = settings;
    const limits = new RunLimits(settings);
    const origin = this.#origin(options);
    const onEvent = this.#events.to(options.onEvent, origin.runId);
    const closing = this.#closing.signal;
    using ends = new RunEnds({ closing, caller: options.signal, timeLimitMs });
    const tools = (options.tools ?? this.tools).snapshot();
    const offered = modelTools(tools, mode, this.#languages);
    const { journal } = this.#conversation;
    const toolUses = new ToolUses({
      codeTool: this.#codeTool,
      tools: limits.bound(tools),
      policy: this.#policy,
      audit: this.#options.audit ?? this.#executor.audit,
      origin,
      callLog: journal && ((toolUseId) => journal.callLog(toolUseId)),
      signal: ends.signal,
      onEvent,
    });
    const output = options.output && new OutputCheck(options.output);
    const system = systemPrompt(instructions, tools, mode, this.#languages, output?.prompt);
    const answer = answerSettings(settings, offered, tools);
    onEvent({ type: 'run-start', input });
    // A server has other requests waiting: each of them is told first that it has begun.
    await nextTurn();
    const run = await this.#begin(origin.runId, ends, onEvent);
    run.soFar = (use) => toolUses.soFar(use);
    const release = this.#codeTool.hold((closed) => onEvent({ type: 'session-closed', ...closed }));
    try {
      checkSupport(model, { system, tools: offered, ...answer }, run.transcript.messages, input);
      const result = await runLoop({
        ...settings,
        system,
        tools: offered,
        transcript: run.transcript,
        input,
        output,
        maxIterations,
        settings: answer,
        signal: ends.signal,
        onEvent,
        answerToolUse: (use, names) => toolUses.answer(use, names),
        counts: toolUses,
        window: this.#window,
        limits,
        save: async () => this.#conversation.save(run),
        onUsage: (usage) => this.#conversation.addUsage(run, usage),
      });
      await this.#conversation.complete(run);
      onEvent({ type: 'run-end', result });
      return result;
    } catch (error) {
      const failure = await this.#conversation.fail(run, ends.explain(error));
      onEvent(runError(failure));
      throw failure;
    } finally {
      await this.#conversation.end(run, release);
    }
  }

  /** @throws PtcError why the run cannot begin. */
  async #begin(runId: string, ends: RunEnds, onEvent: RunTeller): Promise<BegunRun> {
    try {
      return await this.#conversation.begin(runId, ends.signal, (error) => ends.stop(error));
    } catch (error) {
      const failure = this.#conversation.notBegun(ends.explain(error));
      onEvent(runError(failure));
      throw failure;
    }
  }

  /** Whose the calls of a run are. Direct ones have no session. */
  #origin({ labels, context }: RunOptions): ToolUsesOptions['origin'] {
    return {
      sessionId: undefined,
      sessionKey: this.sessionKey,
      labels: { ...this.#labels, ...checkLabels(labels) },
      runId: randomUUID(),
      context,
    };
  }
}
