import PQueue from 'p-queue';
import type { LanguageModel, ModelMessage } from '../models/language-model.ts';
import {
  checkLabels,
  type SandboxExecutorOptions,
  type SessionLabels,
} from '../sessions/executor-options.ts';
import { offeredLanguages } from '../sessions/language-choice.ts';
import { SandboxExecutor } from '../sessions/sandbox-executor.ts';
import type { SessionInfo } from '../sessions/session-info.ts';
import { PtcError } from '../shared/errors.ts';
import { guardedListener } from '../shared/guarded-listener.ts';
import { PolicyGate } from '../tools/policy-gate.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Tool } from '../tools/tool.ts';
import { EventStream } from './event-stream.ts';
import type { RunEvent, RunListener, RunResult } from './run-events.ts';
import { runLoop } from './run-loop.ts';
import { modelTools, systemPrompt, type ToolMode } from './system-prompt.ts';
import { ToolUses } from './tool-uses.ts';

export interface OrchestratorOptions extends SandboxExecutorOptions {
  readonly model: LanguageModel;
  /** Your own instructions; they come before those on code and tools. */
  readonly instructions?: string;
  /** What the policy is told of the conversation, such as whose it is. @default none */
  readonly labels?: SessionLabels;
  /** Which tools the model gets. @default 'hybrid' */
  readonly mode?: ToolMode;
  /** How often the model may be asked for one run. @default 10 */
  readonly maxIterations?: number;
  /** Longest single answer, in tokens. @default 8192 */
  readonly maxTokens?: number;
}

export interface RunOptions {
  /** Ends the run: the model's answer, its code and its tools. */
  readonly signal?: AbortSignal;
  /** Hears of everything as it happens. */
  readonly onEvent?: RunListener;
}

/**
 * One conversation with a model that calls your tools from code. Its runs share the history and
 * one sandbox session, and wait for one another.
 */
export class ProgrammaticToolOrchestrator implements AsyncDisposable {
  readonly #options: OrchestratorOptions;
  readonly #executor: SandboxExecutor;
  readonly #policy: PolicyGate | undefined;
  readonly #labels: SessionLabels;
  readonly #queue: PQueue = new PQueue({ concurrency: 1 });
  readonly #closing: AbortController = new AbortController();
  #history: readonly ModelMessage[] = [];
  #sessionId: string | undefined;

  /** @throws PtcError `OPTION_INVALID`. */
  constructor(options: OrchestratorOptions) {
    this.#options = options;
    this.#labels = checkLabels(options.labels);
    this.#executor = new SandboxExecutor(options);
    this.#policy = PolicyGate.from(options.policy, this.tools);
  }

  get tools(): ToolRegistry {
    return this.#executor.tools;
  }

  /** The conversation so far. */
  get messages(): readonly ModelMessage[] {
    return this.#history;
  }

  /** The conversation's session; undefined before its first code. */
  get session(): SessionInfo | undefined {
    return this.#sessionId === undefined ? undefined : this.#executor.getSession(this.#sessionId);
  }

  /** Adds a tool; the model has it from its next turn on. @throws PtcError as `ToolRegistry.register`. */
  registerTool(tool: Parameters<ToolRegistry['register']>[0]): Tool {
    return this.tools.register(tool);
  }

  /** The name of the sandbox that is used, such as `docker`. @throws PtcError `SANDBOX_UNAVAILABLE`. */
  async sandboxName(): Promise<string> {
    return this.#executor.sandboxName();
  }

  /**
   * Gives the model a request and returns its answer. A run that throws leaves the conversation as
   * it was before.
   * @throws PtcError the codes that begin with `MODEL_`, `ITERATION_LIMIT`, `ABORTED`, `CLOSED`, and
   * what `SandboxExecutor.execute` throws.
   */
  async run(input: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#queue.add(() => this.#run(input, options));
  }

  /** The same as `run`, as a stream of events; the last is `run-end`. To stop reading ends the run. */
  async *stream(
    input: string,
    options: Omit<RunOptions, 'onEvent'> = {},
  ): AsyncGenerator<RunEvent> {
    const events = new EventStream<RunEvent>();
    const abandon = new AbortController();
    const signal = AbortSignal.any([abandon.signal, ...(options.signal ? [options.signal] : [])]);
    const run = this.run(input, { signal, onEvent: (event) => events.push(event) }).then(
      () => events.close(),
      (error: unknown) => events.fail(error),
    );
    try {
      yield* events.read();
    } finally {
      abandon.abort();
      await run;
    }
  }

  /** Forgets the conversation and ends its session. */
  async resetConversation(): Promise<void> {
    await this.#queue.add(async () => {
      this.#history = [];
      const sessionId = this.#sessionId;
      this.#sessionId = undefined;
      if (sessionId !== undefined) await this.#executor.closeSession(sessionId);
    });
  }

  /** Ends the run under way and the session. The orchestrator cannot be used again. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#executor.close();
    await this.#queue.onIdle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(input: string, options: RunOptions): Promise<RunResult> {
    const {
      model,
      instructions,
      mode = 'hybrid',
      maxIterations = 10,
      maxTokens = 8192,
    } = this.#options;
    if (this.#closing.signal.aborted) {
      throw new PtcError('CLOSED', 'This orchestrator is closed. Make a new one.');
    }
    const { signal } = options;
    const onEvent = guardedListener(options.onEvent ?? (() => {}));
    const anySignal = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    const languages = offeredLanguages(this.#options.languages);
    const tools = modelTools(this.tools, mode, languages);
    const toolUses = new ToolUses({
      executor: this.#executor,
      offered: new Set(tools.map((tool) => tool.name)),
      languages,
      policy: this.#policy,
      labels: this.#labels,
      audit: this.#options.audit,
      sessionId: this.#sessionId,
      signal: anySignal,
      onEvent,
    });
    try {
      const result = await runLoop({
        model,
        system: systemPrompt(instructions, this.tools, mode, languages),
        tools,
        history: this.#history,
        input,
        maxIterations,
        maxTokens,
        signal: anySignal,
        onEvent,
        answerToolUse: (use) => toolUses.answer(use),
        counts: toolUses,
      });
      this.#history = result.messages;
      return result;
    } catch (error) {
      throw this.#explain(error, anySignal);
    } finally {
      this.#sessionId = toolUses.sessionId;
    }
  }

  #explain(error: unknown, signal: AbortSignal): unknown {
    if (!signal.aborted || (PtcError.isInstance(error) && error.code === 'ABORTED')) return error;
    return this.#closing.signal.aborted
      ? new PtcError('CLOSED', 'The orchestrator was closed during the run.', { cause: error })
      : new PtcError('ABORTED', 'The run was aborted.', { cause: error });
  }
}
