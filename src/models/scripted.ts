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

/** An answer with its stop reason, which the blocks alone do not always determine. */
export interface ScriptedAnswer {
  readonly content: readonly AssistantBlock[];
  /** @default `tool-use` if the content has a tool call, otherwise `end` */
  readonly stopReason?: StopReason;
}

type Answer = readonly AssistantBlock[] | ScriptedAnswer;

/**
 * An answer, or a function that returns one for a request, for example to quote a tool's result.
 */
export type ScriptedTurn =
  | readonly AssistantBlock[]
  | ScriptedAnswer
  | ((request: ModelRequest) => readonly AssistantBlock[] | ScriptedAnswer);

/**
 * Creates a model for tests and examples that answers from a script. Token counts are estimated: one
 * token for every four characters of text, 1400 for an image or a PDF.
 * @param script - One answer for each request, in order; a request after the last one fails with
 * `MODEL_REQUEST_FAILED`. Or a function that makes the answer to any request.
 */
export function scriptedModel(
  script:
    | readonly ScriptedTurn[]
    | ((request: ModelRequest) => readonly AssistantBlock[] | ScriptedAnswer),
): LanguageModel {
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
