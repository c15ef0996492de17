import { CONTEXT_REMEDY } from '../../models/model-errors.ts';
import { PtcError, type PtcErrorCode } from '../../shared/errors.ts';
import { sentence } from '../../shared/sentence.ts';
import type {
  AnswerSettings,
  AssistantBlock,
  ModelStreamEnd,
  StopReason,
  ToolUseBlock,
} from '../../models/language-model.ts';
import { afterCall } from '../answer-settings.ts';
import type { OutputCheck } from '../output-check.ts';
import type { ModelInput, RunResult } from '../events/run-events.ts';
import { identifyToolUses } from '../conversation/tool-use-ids.ts';
import type { AnsweredUse, ToolUses } from '../tool-uses.ts';
import { isStopped, type FinishedTurn } from '../turns/hooks.ts';
import { Turns, type TurnAnswer, type TurnOptions } from '../turns/turns.ts';

/** Everything is added to the conversation `transcript` as soon as it exists. */
export interface RunLoopOptions extends TurnOptions {
  readonly input: ModelInput;
  /** Checks the final answer. */
  readonly output: OutputCheck | undefined;
  readonly settings: AnswerSettings;
  readonly maxTurns: number;
  /** Answers the tool uses of the model, and counts the tool calls of the run. */
  readonly toolUses: ToolUses;
}

/** What a run needs apart from the conversation. */
export interface RunParts extends Omit<
  RunLoopOptions,
  'input' | 'transcript' | 'filesNote' | 'save' | 'onUsage'
> {
  readonly runId: string;
}

/**
 * Asks the model, runs its tool uses, returns the results to it, and repeats this until it answers.
 * @throws PtcError as `Turns.ask`; `TURN_LIMIT`, `MODEL_OUTPUT_LIMIT`, `MODEL_CONTEXT_EXCEEDED`,
 *   `MODEL_REFUSED` or `MODEL_STOP_UNKNOWN`; `OUTPUT_INVALID`; errors of tool uses and of
 *   `stopWhen`; the signal's reason.
 */
export async function runLoop(options: RunLoopOptions): Promise<RunResult> {
  try {
    const end = await takeTurns(options);
    // What a program does from now on would belong to no run.
    await options.toolUses.stopProgram();
    return end();
  } catch (error) {
    await options.toolUses.stopProgram();
    throw error;
  }
}

/** @returns what makes the result of the run. */
async function takeTurns(options: RunLoopOptions): Promise<() => RunResult> {
  const started = performance.now();
  const { transcript, maxTurns, toolUses: counts, limits, output } = options;
  const turns = new Turns(options);
  let { settings } = options;
  /** The text of an answer that its service paused. */
  let pausedText = '';
  options.signal.throwIfAborted();
  transcript.addInput(options.input);
  await options.save();
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const answered = await turns.ask(turn, settings);
    const { end: answer, modelId } = answered;
    const { content, repeats } = identifyToolUses(answer.content, transcript.messages);
    transcript.addAnswer(content, modelId);
    const uses = content.filter((block) => block.type === 'tool-use');
    const step = nextStep(answer.stopReason, uses.length > 0);
    if (step === 'fail') throw stopError(answer, settings.maxTokens);
    const text = pausedText + textOf(answer.content);
    const end = (endedBy: RunResult['endedBy'], value?: unknown) => (): RunResult => ({
      text,
      output: value,
      value: counts.value,
      files: counts.files.files,
      fileProblems: counts.files.problems,
      endedBy,
      turns: turn,
      toolCalls: counts.toolCalls,
      usage: limits.usage,
      savings: counts.savings,
      durationMs: performance.now() - started,
      messages: transcript.messages,
    });
    if (step === 'finish') {
      const verdict = output?.take(text, turn < maxTurns);
      if (verdict?.isRight !== false) return end('answer', verdict?.output);
      transcript.addInput(verdict.request);
      await options.save();
      limits.check();
      continue;
    }
    await options.save();
    limits.check();
    pausedText = step === 'ask-again' ? text : '';
    if (step === 'ask-again') continue;
    if (step === 'run-tools') settings = afterCall(settings);
    const { offered } = answered;
    await answerToolUses(options, { content, uses, step, repeats, offered });
    if (step === 'tell-cut-off') continue;
    if (await isStopped(options, finishedTurn(options, turn, answer), options.signal)) {
      return end('stop-when');
    }
  }
  throw new PtcError(
    'TURN_LIMIT',
    `The model did not finish within ${maxTurns} turns. Raise maxTurns, or ask for less at once.`,
    { details: { maxTurns } },
  );
}

function finishedTurn(
  { transcript, toolUses: { toolCalls }, limits }: RunLoopOptions,
  turn: number,
  { content }: ModelStreamEnd,
): FinishedTurn {
  const { messages } = transcript;
  return { turn, text: textOf(content), toolCalls, usage: limits.usage, messages };
}

interface UsesToAnswer extends Pick<TurnAnswer, 'offered'> {
  /** The answer that they are in. */
  readonly content: ModelStreamEnd['content'];
  readonly uses: readonly ToolUseBlock[];
  readonly step: 'run-tools' | 'tell-cut-off';
  readonly repeats: ReadonlySet<string>;
}

/**
 * Adds the results to the conversation, even if the run cannot continue: each tool use needs a
 * result.
 */
async function answerToolUses(
  { transcript, toolUses, save, signal }: RunLoopOptions,
  { content, uses, step, repeats, offered }: UsesToAnswer,
): Promise<void> {
  const answers = await Promise.all(
    uses.map(async (use) => {
      if (step === 'tell-cut-off') return notRun(use, CUT_OFF);
      if (repeats.has(use.id)) return notRun(use, REPEATED);
      return toolUses.answer(use, {
        offered,
        purpose: textOf(content.slice(0, content.indexOf(use))),
      });
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
      // Some services return `end` with a tool call, and every call needs its result.
      return usesTools ? 'run-tools' : 'finish';
    case 'pause':
      return usesTools ? 'run-tools' : 'ask-again';
    case 'max-tokens':
      // An incomplete program may look complete and mean something else, so nothing runs.
      return usesTools ? 'tell-cut-off' : 'fail';
    default:
      return 'fail';
  }
}

const CUT_OFF =
  'Your answer reached its token limit before this call was complete, so nothing was run. Write a shorter program.';

// It may be a duplicate, and a call with side effects must not be made twice.
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
      `The conversation and the answer fill the model's context window. ${CONTEXT_REMEDY} details.text has the incomplete answer.`,
    ];
  }
  if (answer.stopReason === 'max-tokens') {
    return [
      'MODEL_OUTPUT_LIMIT',
      `The answer reached the limit of ${maxTokens} tokens. Raise maxTokens; details.text has the incomplete answer.`,
    ];
  }
  return [
    'MODEL_STOP_UNKNOWN',
    `The model stopped for a reason that this package does not know: ${JSON.stringify(answer.rawStopReason)}.`,
  ];
}

function textOf(content: readonly AssistantBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
