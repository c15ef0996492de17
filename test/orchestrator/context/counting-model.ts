import type {
  AssistantBlock,
  LanguageModel,
  ModelRequest,
  ModelStreamEnd,
  StopReason,
} from '../../../src/models/language-model.ts';
import { answerParts } from '../../../src/models/answer-parts.ts';
import { PtcError } from '../../../src/shared/errors.ts';

/** What a counting model was asked for: the next answer of the conversation, or a summary of its older part. */
export interface CountedRequest extends ModelRequest {
  readonly tokens: number;
  readonly isSummary: boolean;
}

export interface CountingModel extends LanguageModel {
  readonly requests: CountedRequest[];
  /** How many requests it refused for their length. */
  refusals: number;
}

/** The rule by which it counts is its own, and not that of the estimates. */
function count(value: unknown): number {
  const text = JSON.stringify(value, (key, part: unknown) => (key === 'data' ? 'image' : part));
  return Math.ceil(text.length / 2.7);
}

/** What it answers: blocks, or with a stop reason of its own. */
export type Reply =
  | readonly AssistantBlock[]
  | { readonly content: readonly AssistantBlock[]; readonly stopReason: StopReason };

/**
 * A model with a window: it counts by its own rule, and refuses what is longer together with the longest answer.
 * @param answer - What it answers; it is given how many answers came before, summaries apart.
 */
export function countingModel(
  windowTokens: number,
  answer: (request: CountedRequest, before: number) => Reply,
  summary: (request: CountedRequest) => string = () => 'SUMMARY',
  knowsWindow: boolean = true,
): CountingModel {
  const requests: CountedRequest[] = [];
  const model: CountingModel = {
    id: 'counting',
    ...(knowsWindow && { contextWindowTokens: windowTokens }),
    requests,
    refusals: 0,
    async *stream(request) {
      const { system, messages, tools } = request;
      const tokens = count([system, tools, messages]);
      if (tokens + request.maxTokens > windowTokens) {
        model.refusals += 1;
        throw new PtcError('MODEL_CONTEXT_EXCEEDED', `${tokens} tokens are too many.`);
      }
      const isSummary = system.startsWith('You summarize');
      const counted = { ...request, tokens, isSummary };
      const before = requests.filter((one) => !one.isSummary).length;
      requests.push(counted);
      const reply: Reply = isSummary
        ? [{ type: 'text', text: summary(counted) }]
        : answer(counted, before);
      const { content, stopReason } =
        'content' in reply ? reply : { content: reply, stopReason: undefined };
      yield* answerParts(content);
      const callsTool = content.some(({ type }) => type === 'tool-use');
      const end: ModelStreamEnd = {
        type: 'answer-ended',
        content,
        stopReason: stopReason ?? (callsTool ? 'tool-use' : 'end'),
        rawStopReason: 'test',
        usage: { inputTokens: tokens, outputTokens: count(content), cachedInputTokens: 0 },
      };
      yield end;
    },
  };
  return model;
}
