import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ModelMessage, TokenUsage } from '../models/language-model.ts';
import { checkLabels } from '../sessions/options/keys-and-labels.ts';
import type { Labels } from '../shared/labels.ts';
import type { Executor } from '../sessions/executor.ts';
import { offeredLanguages } from '../sessions/options/language-choice.ts';
import type { SessionInfo } from '../sessions/session/session-info.ts';
import { PtcError } from '../shared/errors.ts';
import { given } from '../shared/given.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type { ToolOrDefinition } from '../tools/define-tool.ts';
import { copyPolicy, PolicyGate, type PolicyOptions } from '../tools/policy/policy-gate.ts';
import { stopFollowing, type ToolRegistry } from '../tools/registry/registry.ts';
import { toolSetOf, type ToolsOption } from '../tools/registry/tools-option.ts';
import type { SessionFiles } from '../tools/session-files.ts';
import type { OptionsArgument, Tool } from '../tools/tool.ts';
import { CodeTool } from './code/code-tool.ts';
import type { CatalogOptions } from './code/tool-catalog.ts';
import { ContextWindow } from './context/context-window.ts';
import type { BegunRun, RunToBegin } from './conversation/begun-run.ts';
import { Conversation } from './conversation/conversation.ts';
import type { ConversationDocument } from './conversation/conversation-document.ts';
import { conversationStart } from './conversation/conversation-start.ts';
import { eventsOf } from './events/event-stream.ts';
import { RunEventEmitter, runFailedEvent, type EmitRunEvent } from './events/run-event-emitter.ts';
import { beginInput, checkSupport, readInput } from './conversation/input.ts';
import { executorOf, type OrchestratorOptions, type RunOptions } from './orchestrator-options.ts';
import type { RunEvent, RunInput, RunListener, RunResult } from './events/run-events.ts';
import { RunEnds } from './run/run-ends.ts';
import { checkOrchestrator, checkRun, checkStream } from './option-names.ts';
import { runLoop } from './run/run-loop.ts';
import { runParts } from './run/run-parts.ts';
import { RunQueue } from './run/run-queue.ts';
import { makeFork, registryOf, type ForkOptions } from './fork-options.ts';
import { filesNote } from './files/file-text.ts';
import { mostFileBytes } from './files/input-file.ts';
import { InputFiles } from './files/input-files.ts';

/**
 * One conversation with a model that calls your tools from code. Its runs share the messages and
 * one session, and wait for each other.
 */
export class ProgrammaticToolOrchestrator<Context = never> implements AsyncDisposable {
  /** Those in its options, with what is added to them later, and its own, which are added here. */
  readonly tools: ToolRegistry<Context>;
  readonly #options: OrchestratorOptions;
  readonly #executor: Executor;
  readonly #codeTool: CodeTool;
  readonly #catalog: CatalogOptions;
  readonly #policy: PolicyOptions | undefined;
  readonly #labels: Labels;
  readonly #queue: RunQueue = new RunQueue();
  readonly #closing: AbortController = new AbortController();
  readonly #inputFiles: InputFiles;
  readonly #conversation: Conversation;
  readonly #window: ContextWindow = new ContextWindow();
  readonly #events: RunEventEmitter;

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(options: OrchestratorOptions<Context>) {
    checkOrchestrator(options);
    const start = conversationStart(options);
    const policy = copyPolicy(options.policy);
    this.#options = given({ ...options, policy });
    this.#labels = checkLabels(options.labels);
    this.#events = new RunEventEmitter(options.redact);
    const executor = executorOf(options);
    const { tools = executor.tools, languages = executor.languages, catalog = 'auto' } = options;
    this.#policy = policy ?? copyPolicy(executor.policy);
    this.#executor = executor;
    const ownTools = toolSetOf(tools as ToolsOption<Context>);
    this.tools = registryOf(ownTools);
    this.#catalog = { catalog, languages: offeredLanguages(languages), policy: this.#policy };
    PolicyGate.from(this.#policy, [executor.tools, ownTools]);
    const { store, persistent, sessionWaitMs, programTimeoutMs, onFailure = 'keep' } = options;
    const { maxResultBytes, hints, yieldAfterMs } = options;
    const own = given({ sessionKey: start.key, persistent, sessionWaitMs, programTimeoutMs });
    const about = { executor, tools: this.tools, catalog, languages, labels: this.#labels, ...own };
    const files = new InputFiles({
      files: start.files,
      maxBytes: mostFileBytes(executor.limits),
      store,
      key: () => this.sessionKey,
    });
    this.#inputFiles = files;
    const ofConversation = { state: start.state, files, closing: this.#closing.signal };
    const ofResults = given({ maxResultBytes, hints, yieldAfterMs });
    const codeTool = new CodeTool({ ...about, ...ofResults, ...ofConversation });
    this.#codeTool = codeTool;
    this.#conversation = new Conversation({ codeTool, store, start, files, onFailure });
  }

  /**
   * The messages up to the last finished run. To edit them, assign another list between two runs;
   * it is copied.
   * @throws PtcError on assignment: `CONVERSATION_INVALID` for messages that cannot be sent, or
   *   `CONVERSATION_BUSY` during a run or a reset.
   */
  get messages(): readonly ModelMessage[] {
    return this.#conversation.messages;
  }

  set messages(messages: readonly ModelMessage[]) {
    this.#conversation.replace(messages);
  }

  /**
   * The conversation as a document. Pass it as the option `conversation` to continue it later, in
   * any process. During a run, the document is as if the run ended now: it says what is known about
   * the calls in progress. docs/conversations.md has its schema.
   */
  toJSON(): ConversationDocument {
    return this.#conversation.document;
  }

  /**
   * Creates another conversation that continues from the same messages with the same tools. It has
   * its own session, so the model is told that its variables are gone.
   * @param options - The options that differ, such as the key of the session.
   */
  fork(options: ForkOptions<Context> = {}): ProgrammaticToolOrchestrator<Context> {
    const origin = { options: this.#options, tools: this.tools, document: this.toJSON() };
    const fork = makeFork(origin, options, (all) => new ProgrammaticToolOrchestrator<Context>(all));
    fork.#inputFiles.forkFrom(this.#inputFiles);
    return fork;
  }

  /**
   * Reads the conversation from the store, so that `messages` and `usage` show it. Each run does so
   * itself. If a process did not finish its run, the messages say what is known about its calls.
   * @returns Whether a run of another orchestrator or process is in progress, as far as the store
   *   tells: its calls have results in `messages` that say that they are still running.
   * @throws PtcError `STORE_FAILED`, `CONVERSATION_INVALID`, `CONVERSATION_CONFLICT`, or `CLOSED` if
   *   `close` is called meanwhile and the store ends the read.
   */
  async load(): Promise<{ readonly isRunning: boolean }> {
    const { signal } = this.#closing;
    return { isRunning: await this.#queue.add(() => this.#conversation.load(signal)) };
  }

  /** The files of its session: those that were given to runs, in `inputs`, and those of programs. */
  get files(): SessionFiles {
    return this.#codeTool.files;
  }

  /** The usage that the model's service reported for all runs, including those that threw. */
  get usage(): TokenUsage {
    return this.#conversation.usage;
  }

  /** The key of the session in which the conversation's programs run. */
  get sessionKey(): string {
    return this.#codeTool.sessionKey;
  }

  /**
   * Returns information about the session, no matter who opened it. Undefined if the executor has
   * no session for the key: none was opened yet, it has ended, or another process has it.
   */
  async sessionInfo(): Promise<SessionInfo | undefined> {
    return this.#codeTool.sessionInfo();
  }

  /** Adds a tool to this conversation from its next turn on. @throws as `ToolRegistry.register`. */
  registerTool(tool: ToolOrDefinition<Context>): Tool<Context> {
    return this.tools.register(tool);
  }

  /** The name of the provider, such as `docker`. @throws PtcError `SANDBOX_UNAVAILABLE`. */
  async providerName(): Promise<string> {
    return this.#executor.providerName();
  }

  /**
   * Sends the model a request, a text or a list of blocks and files, and returns its answer. If a run throws,
   * the conversation keeps its messages (`onFailure`), and the next run continues from there.
   * @throws PtcError after `run-started`: codes that begin with `MODEL_`, `RUN_` and `CONVERSATION_`,
   *   `STORE_FAILED`, `TURN_LIMIT`, `OUTPUT_INVALID`, `OPTION_INVALID`, `ABORTED`, `CLOSED`, and
   *   the errors of `Executor.acquire` and `Session.execute`. `details.transcript` has the messages
   *   with all of this run, `details.usage` its usage. Before `run-started`, without both:
   *   `OPTION_INVALID`, `INPUT_INVALID`, `TOOL_NAME_CLASH`, `ABORTED` or `CLOSED`.
   */
  async run<Output = JsonValue | undefined>(
    input: RunInput,
    ...[options = {}]: OptionsArgument<RunOptions<Output>, Context>
  ): Promise<RunResult<Output>> {
    checkRun(options);
    const checked = readInput(input, this.#inputFiles.maxBytes);
    const run = this.#queue.add(() => this.#run(checked, options), options.signal);
    return run as Promise<RunResult<Output>>;
  }

  /** Streams the events of a run; the last is `run-ended`. If you stop reading, the run ends. */
  stream(
    input: RunInput,
    ...[options = {}]: OptionsArgument<Omit<RunOptions, 'onEvent'>, Context>
  ): AsyncGenerator<RunEvent> {
    checkStream(options);
    const run = async (onEvent: RunListener, signal: AbortSignal): Promise<RunResult> => {
      const checked = readInput(input, this.#inputFiles.maxBytes);
      return this.#queue.add(() => this.#run(checked, { ...options, signal, onEvent }), signal);
    };
    return eventsOf(run, options.signal);
  }

  /**
   * Ends the session of the conversation's key, no matter who opened it, then deletes the messages.
   * `usage` stays.
   * @throws PtcError `SESSION_HELD` if another process or executor uses the session; nothing has
   *   changed then. As `load` if the store fails: the session has ended, the messages remain, and
   *   the model is told that its variables are gone. `CLOSED` if `close` was called first.
   */
  async resetConversation(): Promise<void> {
    await this.#queue.add(() => this.#conversation.clear(randomUUID(), this.#closing.signal));
  }

  /**
   * Ends the current run, and the session unless you set its key. The orchestrator cannot be used
   * again. An executor that you passed stays open.
   */
  async close(): Promise<void> {
    this.#closing.abort(new PtcError('CLOSED', 'This orchestrator is closed. Create a new one.'));
    stopFollowing(this.tools);
    const isOwn = this.#executor !== this.#options.executor;
    if (isOwn) await this.#executor.close();
    await this.#queue.onIdle();
    if (!isOwn) await this.#codeTool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(checked: RunInput, options: RunOptions): Promise<RunResult> {
    const { signal: closing } = this.#closing;
    closing.throwIfAborted();
    const { runTimeoutMs = this.#options.runTimeoutMs, signal: caller } = options;
    using ends = new RunEnds({ closing, caller, runTimeoutMs });
    const { input, files } = await beginInput(checked, this.#inputFiles.maxBytes);
    if (this.#options.mode !== 'direct') await this.#codeTool.findSoftware(ends.signal);
    const { runId, ...parts } = runParts({
      own: this.#options,
      options,
      executor: this.#executor,
      codeTool: this.#codeTool,
      tools: this.tools,
      catalog: this.#catalog,
      policy: this.#policy,
      labels: this.#labels,
      journal: this.#conversation.journal,
      window: this.#window,
      events: this.#events,
      signal: ends.signal,
    });
    const { model, system, tools, settings, toolUses, onEvent } = parts;
    onEvent({ type: 'run-started', input });
    // Lets requests that wait in the same process begin first, so that each gets its event at once.
    await nextTurn();
    const run = await this.#begin({ runId, ends, soFar: (use) => toolUses.soFar(use) }, onEvent);
    const hold = this.#codeTool.hold({
      onClosed: (closed) => onEvent({ type: 'session-closed', ...closed }),
    });
    try {
      checkSupport(model, { system, tools, ...settings }, run.transcript.messages, input);
      await this.#conversation.addFiles(files);
      const result = await runLoop({
        ...parts,
        input,
        transcript: run.transcript,
        filesNote: () => filesNote(this.#inputFiles.list),
        save: async () => this.#conversation.save(run),
        onUsage: (usage) => this.#conversation.addUsage(run, usage),
      });
      await this.#conversation.complete(run);
      onEvent({ type: 'run-ended', result });
      return result;
    } catch (error) {
      const failure = await this.#conversation.fail(run, ends.explain(error));
      onEvent(runFailedEvent(failure));
      throw failure;
    } finally {
      toolUses.end();
      await this.#conversation.end(run, async () => hold.release());
    }
  }

  /** @throws PtcError why the run cannot begin. */
  async #begin(about: RunToBegin, onEvent: EmitRunEvent): Promise<BegunRun> {
    try {
      return await this.#conversation.begin(about);
    } catch (error) {
      const failure = this.#conversation.notBegun(about.ends.explain(error));
      onEvent(runFailedEvent(failure));
      throw failure;
    }
  }
}
