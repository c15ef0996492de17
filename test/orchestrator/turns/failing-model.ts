import { answerParts } from '../../../src/models/answer-parts.ts';
import type {
  AssistantBlock,
  LanguageModel,
  ModelRequest,
} from '../../../src/models/language-model.ts';
import { PtcError, type PtcErrorCode } from '../../../src/shared/errors.ts';

/** An answer, or what it fails with after some of it was told. */
type Step =
  | readonly AssistantBlock[]
  | { readonly told?: readonly AssistantBlock[]; readonly error: unknown };

interface FailingModel extends LanguageModel {
  readonly requests: ModelRequest[];
}

/** A model that does one step for each request. */
export function failingModel(id: string, steps: readonly Step[]): FailingModel {
  const requests: ModelRequest[] = [];
  return {
    id,
    requests,
    async *stream(request) {
      requests.push(request);
      const step = steps[requests.length - 1];
      if (step === undefined) throw new Error(`${id} has no step for this request.`);
      if ('error' in step) {
        yield* answerParts(step.told ?? []);
        throw step.error;
      }
      yield* answerParts(step);
      const stopReason = step.some(({ type }) => type === 'tool-use') ? 'tool-use' : 'end';
      const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 };
      yield { type: 'answer-ended', content: step, stopReason, rawStopReason: 'test', usage };
    },
  };
}

/** A failure that a model throws. */
export function failure(
  code: PtcErrorCode,
  details: Readonly<Record<string, unknown>> = {},
): { error: PtcError } {
  return { error: new PtcError(code, `It is ${code}.`, { details }) };
}
