import { PtcError, type PtcErrorCode } from '../shared/errors.ts';
import type {
  AssistantBlock,
  LanguageModel,
  ModelMessage,
  ModelStreamEnd,
  ModelTool,
  StopReason,
  TokenUsage,
  ToolResultBlock,
  ToolUseBlock,
} from '../models/language-model.ts';
import type { RunListener, RunResult } from './run-events.ts';
import { identifyToolUses } from './tool-use-ids.ts';
import type { CallCounts } from './tool-uses.ts';

export interface RunLoopOptions {
  readonly model: LanguageModel;
  readonly system: string;
  readonly tools: readonly ModelTool[];
  /** The conversation before this run; not changed. */
  readonly history: readonly ModelMessage[];
  readonly input: string;
  readonly maxIterations: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly onEvent: RunListener;
  /** Runs what the model asked for. Never throws for what the model can mend. */
  readonly answerToolUse: (use: ToolUseBlock) => Promise<ToolResultBlock>;
  /** What the calls of this run came to. */
  readonly counts: CallCounts;
}

/**
 * Asks the model, runs what it asks for, gives it the results, and so on until it answers.
 * @throws PtcError the model's own errors; `ITERATION_LIMIT`, `MODEL_OUTPUT_LIMIT`, `MODEL_REFUSED` or
 * `MODEL_STOP_UNKNOWN`, whose `details.transcript` has the conversation.
 */
export async function runLoop(options: RunLoopOptions): Promise<RunResult> {
  const started = performance.now();
  const messages: ModelMessage[] = [
    ...options.history,
    { role: 'user', content: [{ type: 'text', text: options.input }] },
  ];
  let usage: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  options.onEvent({ type: 'run-start', input: options.input });
  for (let turn = 1; turn <= options.maxIterations; turn += 1) {
    const answer = await askModel(options, messages, turn);
    usage = addUsage(usage, answer.usage);
    const { content, repeats } = identifyToolUses(answer.content, messages);
    if (content.length > 0) messages.push({ role: 'assistant', content });
    const toolUses = content.filter((block) => block.type === 'tool-use');
    const step = nextStep(answer.stopReason, toolUses.length > 0);
    if (step === 'fail') throw stopError(answer, messages, options.maxTokens);
    if (step === 'finish') {
      const result: RunResult = {
        text: textOf(answer.content),
        turns: turn,
        toolCalls: options.counts.toolCalls,
        usage,
        savings: options.counts.savings,
        durationMs: performance.now() - started,
        messages,
      };
      options.onEvent({ type: 'run-end', result });
      return result;
    }
    if (step !== 'ask-again') {
      const answers = toolUses.map(async (use) => {
        if (step === 'tell-cut-off') return notRun(use, CUT_OFF);
        return repeats.has(use.id) ? notRun(use, REPEATED) : options.answerToolUse(use);
      });
      messages.push({ role: 'user', content: await Promise.all(answers) });
    }
  }
  throw new PtcError(
    'ITERATION_LIMIT',
    `The model did not finish within ${options.maxIterations} turns. Raise maxIterations, or ask for less at once.`,
    { details: { maxIterations: options.maxIterations, transcript: messages } },
  );
}

async function askModel(
  { model, system, tools, maxTokens, signal, onEvent }: RunLoopOptions,
  messages: readonly ModelMessage[],
  turn: number,
): Promise<ModelStreamEnd> {
  onEvent({ type: 'turn-start', turn });
  const request = { system, messages: [...messages], tools, maxTokens, signal };
  for await (const part of model.stream(request)) {
    if (part.type === 'end') {
      const { stopReason, usage } = part;
      onEvent({ type: 'turn-end', turn, stopReason, usage });
      return part;
    }
    if (part.type === 'text-delta' || part.type === 'thinking-delta') onEvent(part);
    else if (part.type === 'tool-input-delta') {
      onEvent({ type: 'tool-input-delta', toolUseId: part.id, json: part.json });
    }
  }
  throw new PtcError('MODEL_STREAM_CUT', 'The model’s answer ended before it was complete.');
}

type Step = 'finish' | 'run-tools' | 'tell-cut-off' | 'ask-again' | 'fail';

function nextStep(stopReason: StopReason, usesTools: boolean): Step {
  switch (stopReason) {
    case 'end':
    case 'tool-use':
      // Some services say `end` beside a tool call, and every call needs its result.
      return usesTools ? 'run-tools' : 'finish';
    case 'pause':
      return usesTools ? 'run-tools' : 'ask-again';
    case 'max-tokens':
      // What was cut off may look complete and mean something else, so none of it runs.
      return usesTools ? 'tell-cut-off' : 'fail';
    default:
      return 'fail';
  }
}

const CUT_OFF =
  'Your answer reached its token limit before this call was complete, so nothing was run. Write a shorter program.';

// It may be the same call once more, and one that pays must not be made twice.
const REPEATED =
  'This call has the id of another call of the same answer, so it was not run. Send it again if it is another one.';

function notRun({ id }: ToolUseBlock, text: string): ToolResultBlock {
  return { type: 'tool-result', toolUseId: id, text, isError: true };
}

function stopError(
  answer: ModelStreamEnd,
  transcript: readonly ModelMessage[],
  maxTokens: number,
): PtcError {
  const [code, message] = describeStop(answer, maxTokens);
  const details = { stopReason: answer.rawStopReason, text: textOf(answer.content), transcript };
  return new PtcError(code, message, { details });
}

function describeStop(answer: ModelStreamEnd, maxTokens: number): [PtcErrorCode, string] {
  if (answer.stopReason === 'refusal') {
    return ['MODEL_REFUSED', 'The model declined to answer. Rephrase the request.'];
  }
  if (answer.stopReason === 'max-tokens') {
    return [
      'MODEL_OUTPUT_LIMIT',
      `The answer reached the limit of ${maxTokens} tokens. Raise maxTokens; details.text has what came.`,
    ];
  }
  return [
    'MODEL_STOP_UNKNOWN',
    `The model stopped for a reason that this version does not know: ${JSON.stringify(answer.rawStopReason)}.`,
  ];
}

function textOf(content: readonly AssistantBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

function addUsage(sum: TokenUsage, more: TokenUsage): TokenUsage {
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cachedInputTokens: sum.cachedInputTokens + more.cachedInputTokens,
  };
}
