import type { LanguageModel, ModelRequest } from '../../models/language-model.ts';
import { streamAnswer } from '../../models/shared/stream-answer.ts';
import { PtcError } from '../../shared/errors.ts';
import { hasMethod, isRecord } from '../../shared/guards.ts';
import { showValue } from '../../shared/show-value.ts';
import { AiSdkAnswer } from './answer.ts';
import { toSdkError } from './errors.ts';
import { sdkRequest } from './request.ts';
import type { AiSdkModel } from './sdk-model.ts';
import { checkUrls } from './url-support.ts';

/**
 * Makes a model of the AI SDK one of this package, for conversations. Its id is that of its provider
 * and its own, such as `anthropic.messages/claude-opus-5`: other adapters cannot read its thinking.
 * Set what only its provider knows with `wrapLanguageModel` and `defaultSettingsMiddleware`.
 * @param model - A `LanguageModelV3` or `LanguageModelV4`, such as `anthropic('claude-opus-5')`.
 * @throws PtcError `OPTION_INVALID` for anything else, such as the name of a model.
 */
export function aiSdkModel(model: AiSdkModel): LanguageModel {
  checkModel(model);
  const id = `${model.provider}/${model.modelId}`;
  return {
    id,
    check: (request) => {
      const { supportedUrls } = model;
      if (!isPromiseLike(supportedUrls)) checkUrls(supportedUrls, request);
    },
    stream: (request: ModelRequest) =>
      streamAnswer<unknown>({
        model: id,
        signal: request.signal,
        answer: new AiSdkAnswer(id),
        open: async (abortSignal) => {
          checkUrls(await model.supportedUrls, request);
          const options = { ...sdkRequest(model, request), abortSignal };
          // The types of the two versions differ in what they take, and the request has both.
          return partsOf((await model.doStream(options as never)).stream);
        },
        toError: (thrown, streaming) => toSdkError(thrown, id, streaming),
      }),
  };
}

/** The iterator of the stream itself would cancel it only after its next part, which may never come. */
function partsOf(stream: ReadableStream<unknown>): AsyncIterable<unknown> {
  const reader = stream.getReader();
  const parts: AsyncIterator<unknown> = {
    next: async () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => parts };
}

function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return hasMethod(value, 'then');
}

function checkModel(model: unknown): void {
  const version = isRecord(model) ? model['specificationVersion'] : undefined;
  if ((version === 'v3' || version === 'v4') && hasMethod(model, 'doStream')) return;
  const given = typeof version === 'string' ? `one of specification ${version}` : showValue(model);
  throw new PtcError(
    'OPTION_INVALID',
    `aiSdkModel needs a model of the AI SDK 6 or 7, such as anthropic('claude-opus-5') of @ai-sdk/anthropic, not ${given}. See docs/ai-sdk.md.`,
    { details: { option: 'model' } },
  );
}
