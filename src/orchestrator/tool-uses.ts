import type { CallLog } from '../calls/call-log.ts';
import type { CallEvent } from '../calls/call-event.ts';
import { CallRecorder } from '../calls/call-recorder.ts';
import { CallTrail } from '../calls/call-trail.ts';
import { invokeTool } from '../calls/invoke-tool.ts';
import type { CallCounter } from '../calls/limits/call-counter.ts';
import type { ToolResultBlock, ToolUseBlock } from '../models/language-model.ts';
import { PacedListener } from '../shared/listeners/paced-listener.ts';
import { given } from '../shared/given.ts';
import type { JsonValue } from '../shared/json/json.ts';
import type { AuditSink } from '../audit/entry.ts';
import type { CallGate } from '../tools/policy/call-gate.ts';
import { PolicyGate, type PolicyOptions } from '../tools/policy/policy-gate.ts';
import type { ToolSet } from '../tools/registry/tool-set.ts';
import type { CallOrigin, CheckLevel, Tool } from '../tools/tool.ts';
import { CallRecord, unansweredCallText, NOT_KNOWN, failedProgramText } from './call-record.ts';
import { refusalOf, type RefusedUse } from './calls/refused-use.ts';
import type { CodeAnswer } from './code/code-answer.ts';
import type { CodeEvent } from './code/code-event.ts';
import type { CodeTool } from './code/code-tool.ts';
import { EXECUTE_CODE } from './code/code-tool-definition.ts';
import { RunImages } from './code/run-images.ts';
import { RunFiles } from './files/run-files.ts';
import type { RunEvents } from './events/run-event-emitter.ts';
import type { TokenSavings } from './events/run-events.ts';
import type { UseResult } from './conversation/transcript.ts';

/** The answer to a tool use. */
export interface AnsweredUse {
  readonly result: ToolResultBlock;
  /** What `execute_code` answered. @default it was another tool, or the host could not run the program */
  readonly code?: CodeAnswer | undefined;
  /** Why the run cannot continue; undefined if it can. */
  readonly failure: unknown;
}

interface Answer extends UseResult {
  readonly code?: CodeAnswer;
  readonly failure?: unknown;
}

export interface ToolUsesOptions {
  /** Runs the model's programs. */
  readonly codeTool: CodeTool;
  readonly tools: ToolSet;
  /** All tools that the rules of the policy may name. */
  readonly knownTools: readonly ToolSet[];
  /** Decides on direct calls and on calls from code. */
  readonly policy: PolicyOptions | undefined;
  readonly audit: AuditSink | undefined;
  /** Whether results of direct calls are checked. */
  readonly checkResults: CheckLevel;
  /** The origin of direct calls, which have no session. */
  readonly origin: CallOrigin & { readonly sessionId: undefined };
  /** Counts the direct calls. */
  readonly counter: CallCounter;
  /** Creates the log of the tool calls that belong to one call of the model. @default no log */
  readonly callLog: ((toolUseId: string) => CallLog) | undefined;
  readonly signal: AbortSignal;
  readonly events: RunEvents;
}

interface AboutUse {
  /** The names of the tools that the model was offered. */
  readonly offered: ReadonlySet<string>;
  /** What the model wrote before it; empty if it wrote nothing. */
  readonly purpose: string;
}

const CHARACTERS_PER_TOKEN = 4;

const UNDER_WAY = 'The conversation was saved while this was under way.';

/**
 * Answers the tool uses of the model in one run: runs its programs in the conversation's session,
 * and calls direct tools. Counts what they did.
 */
export class ToolUses {
  readonly #options: ToolUsesOptions;
  readonly #policy: CallGate | undefined;
  /** For direct calls. Those from code are recorded with their program. */
  readonly #directCalls: CallRecorder;
  readonly #signal: AbortSignal;
  readonly #events: RunEvents;
  #toolCalls = 0;
  #contextLength = 0;
  #directLength = 0;
  #value: JsonValue | undefined;
  /** The files that the programs left. */
  readonly files: RunFiles = new RunFiles();
  readonly #images: RunImages = new RunImages();
  /** The answer of each tool use by its id, or its tool calls if it has no answer yet. */
  readonly #soFar: Map<string, UseResult | CallRecord> = new Map();

  /** @throws PtcError `OPTION_INVALID` if a rule of the policy names no tool. */
  constructor(options: ToolUsesOptions) {
    const { policy, knownTools, audit, origin, signal, events } = options;
    this.#options = options;
    const gate = policy && new PolicyGate(policy);
    gate?.checkNames(knownTools);
    const { runId, sessionId } = origin;
    this.#policy = gate?.callGate({ program: undefined, runId, sessionId, endsRun: true });
    this.#directCalls = new CallRecorder(
      audit && new CallTrail(audit, { labels: origin.labels }),
      new PacedListener((event) => this.#onDirectCall(event)),
    );
    this.#signal = signal;
    this.#events = events;
  }

  get toolCalls(): number {
    return this.#toolCalls;
  }

  /** The value of the last program that returned one. */
  get value(): JsonValue | undefined {
    return this.#value;
  }

  get savings(): TokenSavings {
    return {
      contextTokens: Math.ceil(this.#contextLength / CHARACTERS_PER_TOKEN),
      directTokens: Math.ceil(this.#directLength / CHARACTERS_PER_TOKEN),
    };
  }

  /**
   * Answers a tool use. Never rejects: if the run cannot continue, the result says what is known
   * about the call.
   */
  async answer(use: ToolUseBlock, about: AboutUse): Promise<AnsweredUse> {
    const { failure, code, ...answer } = await this.#answer(use, about);
    this.#soFar.set(use.id, answer);
    return { result: { type: 'tool-result', toolUseId: use.id, ...answer }, code, failure };
  }

  /**
   * What is known about a tool use: its answer if it has one, otherwise the outcomes of its tool
   * calls; undefined if it never began.
   */
  soFar(use: ToolUseBlock): UseResult | undefined {
    const known = this.#soFar.get(use.id);
    if (!(known instanceof CallRecord)) return known;
    return { text: unansweredCallText(use, UNDER_WAY, known), isError: true };
  }

  /** Stops the program that runs, if a call of the model did not wait for its end. */
  async stopProgram(): Promise<void> {
    await this.#options.codeTool.stopProgram();
  }

  /** The run has ended. */
  end(): void {
    this.#policy?.end();
  }

  #recordOf(toolUseId: string): CallRecord {
    const record = new CallRecord();
    this.#soFar.set(toolUseId, record);
    return record;
  }

  async #answer(use: ToolUseBlock, { offered, purpose }: AboutUse): Promise<Answer> {
    const refused = refusalOf(use, offered, this.#options.tools);
    if (refused !== undefined) return this.#shortened(await this.#refuse(refused));
    if (use.name === EXECUTE_CODE) return this.#execute(use, purpose);
    return this.#shortened(await this.#callDirectly(use));
  }

  async #shortened(answer: Answer): Promise<Answer> {
    const text = await this.#options.codeTool.shorten(answer.text, { signal: this.#signal });
    return { ...answer, text };
  }

  async #refuse({ call, outcome, text }: RefusedUse): Promise<Answer> {
    await this.#directCalls.neverStarted(call, outcome, { durationMs: 0, signal: this.#signal });
    return problem(text);
  }

  async #execute({ id, input }: ToolUseBlock, purpose: string): Promise<Answer> {
    const { codeTool, tools, policy, origin, callLog } = this.#options;
    const { labels, context, runId } = origin;
    const record = this.#recordOf(id);
    try {
      const code = await codeTool.execute(input, {
        tools,
        ...given({ policy }),
        labels,
        context,
        runId,
        ...(purpose !== '' && { purpose }),
        callLog: this.#measured(record.logWith(callLog?.(id))),
        signal: this.#signal,
        onEvent: (event) => this.#onCodeEvent(id, event),
      });
      const { isError, result } = code;
      const { text, images } = this.#images.take(code);
      this.#contextLength += text.length;
      if (result?.value !== undefined) this.#value = result.value;
      if (result !== undefined) this.files.add(result);
      return { text, isError, ...(images.length > 0 && { images }), code };
    } catch (failure) {
      return { ...problem(failedProgramText(input, failure, record)), failure };
    }
  }

  /** Counts the tokens that a program's tool calls would have taken as direct calls. */
  #measured(log: CallLog): CallLog {
    return {
      deferred: async (call) => log.deferred?.(call),
      started: async (call) => {
        this.#directLength += call.argumentsText.length;
        await log.started(call);
      },
      ended: async (call, outcome) => {
        const { length } = outcome.ok ? outcome.result.text : outcome.failure.message;
        this.#directLength += length;
        await log.ended(call, outcome);
      },
    };
  }

  /** Returns a promise if the run's listener has not taken its events yet. */
  #onCodeEvent(toolUseId: string, event: CodeEvent): Promise<unknown> | undefined {
    const { onEvent, taken } = this.#events;
    if (event.type === 'session-opened') onEvent(event);
    else if (
      event.type === 'program-ended' ||
      event.type === 'program-reported' ||
      event.type === 'program-yielded' ||
      event.type === 'output-delta'
    )
      onEvent({ ...event, toolUseId });
    else if (event.type === 'program-started') {
      this.#contextLength += event.code.length;
      onEvent({ ...event, toolUseId });
    } else {
      if (event.type === 'tool-call-started') this.#toolCalls += 1;
      onEvent({ ...event, caller: 'code', toolUseId });
    }
    return taken();
  }

  async #callDirectly(use: ToolUseBlock): Promise<Answer> {
    const tool = this.#directTool(use.name);
    const toolName = tool?.name ?? use.name;
    const started = performance.now();
    const { id: callId, input } = use;
    const record = this.#recordOf(callId);
    const call = { caller: 'direct', callId, toolName, arguments: input } as const;
    this.#directCalls.started(call);
    const outcome = await invokeTool(this.#options.tools, {
      ...call,
      origin: this.#options.origin,
      counter: this.#options.counter,
      signal: this.#signal,
      ready: () => this.#directCalls.ready(),
      log: record.logWith(this.#options.callLog?.(callId)),
      policy: this.#policy,
      checkResults: this.#options.checkResults,
      onDecision: (made) => this.#directCalls.decided(made),
      onProgress: (progress) => this.#directCalls.progressed(call, progress),
    });
    const durationMs = performance.now() - started;
    await this.#directCalls.ended(call, outcome, { durationMs, signal: this.#signal });
    if (outcome.ok) return { text: outcome.result.text, isError: false };
    const { type, message } = outcome.failure;
    const failure = `${type}: ${message}`;
    if (record.openText !== '') return problem(`${failure}; ${NOT_KNOWN}`);
    // The tool may have run although the store did not accept its result.
    return problem(type === 'HostError' ? `${failure}\n${record.text}`.trimEnd() : failure);
  }

  /** As `#onCodeEvent`. */
  #onDirectCall(event: CallEvent): Promise<unknown> | undefined {
    if (event.type === 'tool-call-started') this.#toolCalls += 1;
    this.#events.onEvent({ ...event, caller: 'direct', toolUseId: event.callId });
    return this.#events.taken();
  }

  /** The model knows a direct tool by its identifier. */
  #directTool(identifier: string): Tool | undefined {
    const tools = this.#options.tools.forCaller('direct');
    return tools.find((tool) => tool.identifier === identifier);
  }
}

function problem(text: string): { text: string; isError: boolean } {
  return { text, isError: true };
}
