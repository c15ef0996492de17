import PQueue from 'p-queue';
import type { ExecutionEvent, ExecutionResult } from '../execution/execution.ts';
import { AuditTrail } from '../execution/audit-trail.ts';
import { failureForHost, invokeTool } from '../execution/invoke-tool.ts';
import type { Language } from '../languages/language.ts';
import type { ToolResultBlock, ToolUseBlock } from '../models/language-model.ts';
import type { LanguageName } from '../protocol/messages.ts';
import type { SessionLabels } from '../sessions/executor-options.ts';
import type { SandboxExecutor } from '../sessions/sandbox-executor.ts';
import { untilAborted } from '../shared/abort.ts';
import type { AuditSink } from '../telemetry/audit-entry.ts';
import type { CallDecision, CallGate, PolicyGate } from '../tools/policy-gate.ts';
import type { Tool } from '../tools/tool.ts';
import { contextText } from './context-text.ts';
import { describeResult } from './describe-result.ts';
import type { RunListener, TokenSavings } from './run-events.ts';
import { EXECUTE_CODE } from './system-prompt.ts';

/** What the calls of one run came to. */
export interface CallCounts {
  readonly toolCalls: number;
  readonly savings: TokenSavings;
}

const CHARACTERS_PER_TOKEN = 4;

const ASK_FOR_LESS = 'ask for less at once';

/** Answers the model's tool uses: runs its code in the conversation's session, and direct tools as they are. */
export class ToolUses implements CallCounts {
  readonly #executor: SandboxExecutor;
  readonly #offered: ReadonlySet<string>;
  readonly #languages: readonly Language[];
  readonly #policy: CallGate | undefined;
  readonly #labels: SessionLabels | undefined;
  /** Of direct calls; those of code are in the trail of their run. */
  readonly #audit: AuditTrail | undefined;
  readonly #signal: AbortSignal;
  readonly #onEvent: RunListener;
  readonly #programs: PQueue = new PQueue({ concurrency: 1 });
  /** The conversation's session, once there is one. */
  sessionId: string | undefined;
  #toolCalls = 0;
  #contextLength = 0;
  #directLength = 0;

  constructor(options: {
    readonly executor: SandboxExecutor;
    /** The names of the tools that the model was offered. */
    readonly offered: ReadonlySet<string>;
    /** What programs may be written in, the first where the model names none. */
    readonly languages: readonly Language[];
    /** What direct calls have to pass; those of code pass the executor's own. */
    readonly policy: PolicyGate | undefined;
    readonly labels: SessionLabels | undefined;
    readonly audit: AuditSink | undefined;
    readonly sessionId: string | undefined;
    readonly signal: AbortSignal;
    readonly onEvent: RunListener;
  }) {
    this.#executor = options.executor;
    this.#offered = options.offered;
    this.#languages = options.languages;
    this.#policy = options.policy?.forRun();
    this.#labels = options.labels;
    this.#audit = options.audit && new AuditTrail(options.audit, { labels: options.labels });
    this.sessionId = options.sessionId;
    this.#signal = options.signal;
    this.#onEvent = options.onEvent;
  }

  get toolCalls(): number {
    return this.#toolCalls;
  }

  get savings(): TokenSavings {
    return {
      contextTokens: Math.ceil(this.#contextLength / CHARACTERS_PER_TOKEN),
      directTokens: Math.ceil(this.#directLength / CHARACTERS_PER_TOKEN),
    };
  }

  async answer(use: ToolUseBlock): Promise<ToolResultBlock> {
    const answer = await this.#answer(use);
    return { type: 'tool-result', toolUseId: use.id, ...answer };
  }

  async #answer(use: ToolUseBlock): Promise<{ text: string; isError: boolean }> {
    if (!this.#offered.has(use.name)) return problem(`There is no tool named ${use.name}.`);
    if (use.input === undefined) {
      return problem(
        'The input of this call is no JSON object, so nothing was run. Send it again.',
      );
    }
    if (use.name !== EXECUTE_CODE) return this.#callDirectly(use);
    const code = use.input['code'];
    if (typeof code !== 'string') return problem('`code` must be a string with the program.');
    const language = this.#language(use.input['language']);
    if (language === undefined) {
      const names = this.#languages.map(({ name }) => name).join(', ');
      return problem(`\`language\` must be one of ${names}. Nothing was run.`);
    }
    // Programs of one turn share the session, which the first of them may have to open.
    return this.#programs.add(() => this.#execute(use.id, language, code));
  }

  /** Undefined for one that is not offered. */
  #language(name: unknown): LanguageName | undefined {
    if (name === undefined) return this.#languages[0]?.name;
    return this.#languages.find((offered) => offered.name === name)?.name;
  }

  async #execute(
    toolUseId: string,
    language: LanguageName,
    code: string,
  ): Promise<{ text: string; isError: boolean }> {
    this.#onEvent({ type: 'code-start', toolUseId, language, code });
    const earlierSession = this.sessionId;
    const result: ExecutionResult = await this.#executor.execute(code, {
      language,
      ...(earlierSession !== undefined && { sessionId: earlierSession }),
      reuseSession: true,
      ...(this.#labels && { labels: this.#labels }),
      signal: this.#signal,
      onEvent: (event) => this.#onExecutionEvent(event),
    });
    this.sessionId = result.sessionOpen ? result.sessionId : undefined;
    this.#onEvent({ type: 'code-end', toolUseId, result });
    this.#signal.throwIfAborted();
    const stateWasLost = earlierSession !== undefined && earlierSession !== result.sessionId;
    const text = describeResult(result, stateWasLost);
    this.#contextLength += code.length + text.length;
    return { text, isError: !result.success };
  }

  #onExecutionEvent(event: ExecutionEvent): void {
    if (event.type === 'output') {
      this.#onEvent({ type: 'output-delta', stream: event.stream, text: event.text });
    } else if (event.type === 'tool-call') {
      this.#toolCalls += 1;
      this.#directLength += JSON.stringify(event.arguments).length;
      this.#onEvent({ ...event, caller: 'code' });
    } else if (event.type === 'approval') {
      this.#onEvent({ ...event, caller: 'code' });
    } else {
      const { resultLength, ...rest } = event;
      this.#directLength += resultLength;
      this.#onEvent({ ...rest, caller: 'code' });
    }
  }

  async #callDirectly(use: ToolUseBlock): Promise<{ text: string; isError: boolean }> {
    const tool = this.#directTool(use.name);
    const toolName = tool?.name ?? use.name;
    const started = performance.now();
    this.#toolCalls += 1;
    const { id: callId, input } = use;
    const call = { caller: 'direct', callId, toolName, arguments: input } as const;
    this.#onEvent({ type: 'tool-call', ...call });
    const outcome = await invokeTool(this.#executor.tools, {
      ...call,
      sessionId: undefined,
      signal: this.#signal,
      ready: () => this.#audit?.ready(),
      policy: this.#policy,
      labels: this.#labels,
      onDecision: (made) => this.#onDecision(made),
    });
    const durationMs = performance.now() - started;
    this.#audit?.callEnded(call, outcome, durationMs);
    const recorded = this.#audit?.ready();
    if (recorded !== undefined) await untilAborted(recorded, this.#signal);
    this.#onEvent({
      type: 'tool-result',
      caller: 'direct',
      callId,
      toolName,
      durationMs,
      error: failureForHost(outcome),
    });
    this.#signal.throwIfAborted();
    return outcome.ok
      ? { text: contextText(outcome.result.text, ASK_FOR_LESS), isError: false }
      : problem(`${outcome.failure.type}: ${outcome.failure.message}`);
  }

  #onDecision(made: CallDecision): void {
    const { decision, caller, callId, toolName } = made;
    this.#audit?.decided(made);
    if (decision === 'denied' || decision === 'cancelled') return;
    this.#onEvent({ type: 'approval', caller, callId, toolName, decision });
  }

  /** The model knows a direct tool by its identifier. */
  #directTool(identifier: string): Tool | undefined {
    return this.#executor.tools.forCaller('direct').find((tool) => tool.identifier === identifier);
  }
}

function problem(text: string): { text: string; isError: boolean } {
  return { text: contextText(text, ASK_FOR_LESS), isError: true };
}
