import { messageOf, PtcError } from '../shared/errors.ts';
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

/** An answer where the blocks alone do not say why it stopped. */
export interface ScriptedAnswer {
  readonly content: readonly AssistantBlock[];
  /** @default `tool-use` where the content has a tool call, else `end` */
  readonly stopReason?: StopReason;
}

type Answer = readonly AssistantBlock[] | ScriptedAnswer;

/** One answer, or a function that makes it of the request, to quote what a tool gave. */
export type ScriptedTurn = Answer | ((request: ModelRequest) => Answer);

/**
 * A model that is none: it gives the answers of a script, one a request, in their order, for tests and
 * examples. Its token counts are estimated: a token for every four characters of text, 1400 for an image or a PDF.
 * A request beyond the script fails with `MODEL_REQUEST_FAILED`.
 */
export function scriptedModel(turns: readonly ScriptedTurn[]): LanguageModel {
  let played = 0;
  return {
    id: 'scripted',
    async *stream(request): AsyncGenerator<ModelStreamPart> {
      if (request.signal?.aborted) throw abortedError(request.signal);
      const turn = turns[played];
      if (turn === undefined) {
        throw new PtcError(
          'MODEL_REQUEST_FAILED',
          `The scripted model was asked for answer ${played + 1}, and its script has ${turns.length}. Add a turn to the script.`,
        );
      }
      played += 1;
      const { content, stopReason } = answerOf(turn, request, played);
      yield* answerParts(content);
      yield {
        type: 'end',
        content,
        stopReason,
        rawStopReason: stopReason,
        usage: {
          inputTokens: estimateRequestTokens([request.system, request.tools, request.messages]),
          outputTokens: estimateTokens(JSON.stringify(content)),
          cachedInputTokens: 0,
        },
      };
    },
  };
}

function answerOf(
  turn: ScriptedTurn,
  request: ModelRequest,
  number: number,
): Required<ScriptedAnswer> {
  const answer = typeof turn === 'function' ? callTurn(turn, request, number) : turn;
  const { content, stopReason } = 'content' in answer ? answer : { content: answer };
  const callsTool = content.some((block) => block.type === 'tool-use');
  return { content, stopReason: stopReason ?? (callsTool ? 'tool-use' : 'end') };
}

function callTurn(
  turn: (request: ModelRequest) => Answer,
  request: ModelRequest,
  number: number,
): Answer {
  try {
    return turn(request);
  } catch (error) {
    throw new PtcError(
      'MODEL_REQUEST_FAILED',
      `Turn ${number} of the script failed: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
