import { messageOf, PtcError } from '../shared/errors.ts';
import { isOfKind } from '../shared/options/option-kinds.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { invalidOption } from '../shared/options/option-values.ts';
import { answerParts } from './answer-parts.ts';
import { estimateRequestTokens, estimateTokens } from './estimate-tokens.ts';
import type {
  AssistantBlock,
  LanguageModel,
  ModelRequest,
  ModelStreamPart,
  StopReason,
} from './language-model.ts';
import { abortedError } from './model-errors.ts';

/** An answer with its stop reason, which the blocks alone do not always determine. */
export interface ScriptedAnswer {
  readonly content: readonly AssistantBlock[];
  /** @default `tool-use` if the content has a tool call, otherwise `end` */
  readonly stopReason?: StopReason;
}

export const SCRIPTED_ANSWER: OptionsObject<ScriptedAnswer> = {
  of: 'an answer of scriptedModel',
  names: { content: 'array', stopReason: 'text' },
  page: 'docs/models.md',
};

type Answer = readonly AssistantBlock[] | ScriptedAnswer;

/**
 * An answer, or a function that returns one for a request, or a promise of one, for example to quote a
 * tool's result.
 */
export type ScriptedTurn =
  | readonly AssistantBlock[]
  | ScriptedAnswer
  | ((
      request: ModelRequest,
    ) =>
      | readonly AssistantBlock[]
      | ScriptedAnswer
      | Promise<readonly AssistantBlock[] | ScriptedAnswer>);

/**
 * Creates a model for tests and examples that answers from a script. Token counts are estimated: one
 * token for every four characters of text, 1400 for an image or a PDF.
 * @param script - One answer for each request, in order; a request after the last one fails with
 * `MODEL_REQUEST_FAILED`. Or a function that makes the answer to any request.
 * @throws PtcError `OPTION_INVALID` for a script that is neither, and for an answer that is not one.
 */
export function scriptedModel(
  script: readonly ScriptedTurn[] | Extract<ScriptedTurn, (request: ModelRequest) => unknown>,
): LanguageModel {
  checkScript(script);
  let played = 0;
  return {
    id: 'scripted',
    async *stream(request): AsyncGenerator<ModelStreamPart> {
      if (request.signal?.aborted) throw abortedError(request.signal);
      const turn = typeof script === 'function' ? script : script[played];
      played += 1;
      if (turn === undefined) {
        throw new PtcError(
          'MODEL_REQUEST_FAILED',
          `The scripted model was asked for answer ${played}, but its script has only ${script.length}. Add an answer to the script.`,
        );
      }
      const { content, stopReason } = await answerOf(turn, request, played);
      yield* answerParts(content);
      yield {
        type: 'answer-ended',
        content,
        stopReason,
        rawStopReason: stopReason,
        usage: {
          inputTokens: estimateRequestTokens(request),
          outputTokens: estimateTokens(JSON.stringify(content)),
          cachedInputTokens: 0,
        },
      };
    },
  };
}

function checkScript(script: unknown): void {
  if (typeof script === 'function') return;
  if (!isOfKind(script, 'array')) {
    throw invalidOption('script', script, 'an array of answers or a function');
  }
  for (const turn of script as readonly unknown[])
    if (typeof turn !== 'function') checkAnswer(turn);
}

function checkAnswer(answer: unknown): void {
  if (!isOfKind(answer, 'array')) checkOptionNames(answer, SCRIPTED_ANSWER);
}

async function answerOf(
  turn: ScriptedTurn,
  request: ModelRequest,
  number: number,
): Promise<Required<ScriptedAnswer>> {
  const answer = typeof turn === 'function' ? await callTurn(turn, request, number) : turn;
  const { content, stopReason } = 'content' in answer ? answer : { content: answer };
  const callsTool = content.some((block) => block.type === 'tool-use');
  return { content, stopReason: stopReason ?? (callsTool ? 'tool-use' : 'end') };
}

async function callTurn(
  turn: (request: ModelRequest) => Answer | Promise<Answer>,
  request: ModelRequest,
  number: number,
): Promise<Answer> {
  try {
    const answer = await turn(request);
    checkAnswer(answer);
    return answer;
  } catch (error) {
    throw new PtcError(
      'MODEL_REQUEST_FAILED',
      `Turn ${number} of the script failed: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
