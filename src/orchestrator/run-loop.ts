import { addUsage, NO_USAGE } from '../models/token-usage.ts';
import { CONTEXT_REMEDY, sentence } from '../models/model-errors.ts';
import { PtcError, type PtcErrorCode } from '../shared/errors.ts';
import type {
  AnswerSettings,
  AssistantBlock,
  LanguageModel,
  ModelStreamEnd,
  ModelTool,
  StopReason,
  TokenUsage,
  ToolUseBlock,
} from '../models/language-model.ts';
import { afterCall } from './answer-settings.ts';
import type { RunEventBody, RunInput, RunResult } from './run-events.ts';
import { identifyToolUses } from './tool-use-ids.ts';
import type { AnsweredUse, CallCounts } from './tool-uses.ts';
import type { Transcript } from './transcript.ts';

export interface RunLoopOptions {
  readonly model: LanguageModel;
  readonly system: string;
  readonly tools: readonly ModelTool[];
  /** The conversation, to which everything is added as soon as it is there. */
  readonly transcript: Transcript;
  readonly input: RunInput;
  readonly maxIterations: number;
  readonly settings: AnswerSettings;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEventBody) => void;
  /** Runs what the model asked for. Never rejects. */
  readonly answerToolUse: (use: ToolUseBlock) => Promise<AnsweredUse>;
  /** What the calls of this run came to. */
  readonly counts: CallCounts;
  /** Writes down what was added to the transcript. Nothing goes on before. */
  readonly save: () => Promise<void>;
  /** Hears of what each answer took. */
  readonly onUsage: (usage: TokenUsage) => void;
}

/**
 * Asks the model, runs what it asks for, gives it the results, and so on until it answers.
 * @throws PtcError the model's own errors; `ITERATION_LIMIT`, `MODEL_OUTPUT_LIMIT`, `MODEL_CONTEXT_EXCEEDED`,
 * `MODEL_REFUSED` or `MODEL_STOP_UNKNOWN`; what stopped a tool use; the signal's reason.
 */
export async function runLoop(options: RunLoopOptions): Promise<RunResult> {
  const started = performance.now();
  const { transcript, maxIterations, counts } = options;
  let usage: TokenUsage = NO_USAGE;
  let { settings } = options;
  options.signal.throwIfAborted();
  options.onEvent({ type: 'run-start', input: options.input });
  transcript.addInput(options.input);
  await options.save();
  for (let turn = 1; turn <= maxIterations; turn += 1) {
    const answer = await askModel({ ...options, settings }, turn);
    usage = addUsage(usage, answer.usage);
    options.onUsage(answer.usage);
    const { content, repeats } = identifyToolUses(answer.content, transcript.messages);
    transcript.addAnswer(content);
    const toolUses = content.filter((block) => block.type === 'tool-use');
    const step = nextStep(answer.stopReason, toolUses.length > 0);
    if (step === 'fail') throw stopError(answer, settings.maxTokens);
    if (step === 'finish') {
      const result: RunResult = {
        text: textOf(answer.content),
        turns: turn,
        toolCalls: counts.toolCalls,
        usage,
        savings: counts.savings,
        durationMs: performance.now() - started,
        messages: transcript.messages,
      };
      return result;
    }
    await options.save();
    if (step === 'run-tools') settings = afterCall(settings);
    if (step !== 'ask-again') await answerToolUses(options, toolUses, step, repeats);
  }
  throw new PtcError(
    'ITERATION_LIMIT',
    `The model did not finish within ${maxIterations} turns. Raise maxIterations, or ask for less at once.`,
    { details: { maxIterations } },
  );
}

async function askModel(options: RunLoopOptions, turn: number): Promise<ModelStreamEnd> {
  const { model, system, tools, transcript, settings, signal, onEvent } = options;
  onEvent({ type: 'turn-start', turn });
  const request = { system, messages: transcript.messages, tools, ...settings, signal };
  const toolNames = new Map<string, string>();
  for await (const part of model.stream(request)) {
    if (part.type === 'end') {
      const { stopReason, usage } = part;
      onEvent({ type: 'turn-end', turn, stopReason, usage });
      return part;
    }
    if (part.type === 'text-delta') transcript.addPartialText(part.text);
    if (part.type === 'text-delta' || part.type === 'thinking-delta') onEvent(part);
    else if (part.type === 'tool-use-start') toolNames.set(part.id, part.name);
    else {
      const toolName = toolNames.get(part.id) ?? '';
      onEvent({ type: 'tool-input-delta', toolUseId: part.id, toolName, json: part.json });
    }
  }
  throw new PtcError('MODEL_STREAM_CUT', 'The model’s answer ended before it was complete.');
}

/** Adds the results to the conversation, also if the run cannot go on: no tool use may be without one. */
async function answerToolUses(
  { transcript, answerToolUse, save, signal }: RunLoopOptions,
  toolUses: readonly ToolUseBlock[],
  step: 'run-tools' | 'tell-cut-off',
  repeats: ReadonlySet<string>,
): Promise<void> {
  const answers = await Promise.all(
    toolUses.map(async (use) => {
      if (step === 'tell-cut-off') return notRun(use, CUT_OFF);
      return repeats.has(use.id) ? notRun(use, REPEATED) : answerToolUse(use);
    }),
  );
  transcript.addResults(answers.map(({ result }) => result));
  await save();
  signal.throwIfAborted();
  const stopped = answers.find(({ failure }) => failure !== undefined);
  if (stopped !== undefined) throw stopped.failure;
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

function notRun({ id }: ToolUseBlock, text: string): AnsweredUse {
  return {
    result: { type: 'tool-result', toolUseId: id, text, isError: true },
    failure: undefined,
  };
}

function stopError(answer: ModelStreamEnd, maxTokens: number): PtcError {
  const [code, message] = describeStop(answer, maxTokens);
  const { rawStopReason: stopReason, stopDetails } = answer;
  const details = { stopReason, stopDetails, text: textOf(answer.content) };
  return new PtcError(code, message, { details });
}

function describeStop(answer: ModelStreamEnd, maxTokens: number): [PtcErrorCode, string] {
  if (answer.stopReason === 'refusal') {
    const explanation = answer.stopDetails?.['explanation'];
    const why = typeof explanation === 'string' ? `: ${sentence(explanation)}` : '.';
    return ['MODEL_REFUSED', `The model declined to answer${why} Rephrase the request.`];
  }
  if (answer.stopReason === 'context-window-exceeded') {
    return [
      'MODEL_CONTEXT_EXCEEDED',
      `The conversation and the answer have filled all that the model can read. ${CONTEXT_REMEDY} details.text has what came.`,
    ];
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
