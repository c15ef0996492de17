/**
 * Models on Amazon Bedrock.
 * @module sandboxed-ptc/bedrock
 */
import type { JsonObject } from '../../shared/json/json.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/option-names.ts';
import { answerParts } from '../answer-parts.ts';
import { AnswerBounds, type BoundableCommand } from './answer-bounds.ts';
import { BedrockAnswer, wholeAnswer } from './answer.ts';
import type { BedrockClient, ConverseAnswer, ServiceTier } from './client.ts';
import { toModelError } from './errors.ts';
import { converseInput } from './request.ts';
import type { ConverseSettings } from './request.ts';
import { extraFields, optionNamed } from '../extra-fields.ts';
import type { LanguageModel, ModelStreamPart } from '../language-model.ts';
import { loadSdk } from '../load-sdk.ts';
import { abortedError, streamCutError } from '../model-errors.ts';

export type { BedrockClient, ServiceTier };

export interface BedrockModelOptions {
  /** A model id, the id of an inference profile, or an ARN of either. */
  readonly model: string;
  /** @default the environment variable AWS_REGION, or the region of the AWS profile */
  readonly region?: string;
  /** Your own client instead of `region`. Its settings determine how often requests are retried. */
  readonly client?: BedrockClient;
  /**
   * How many tokens the model can read and write in one request. Conversations are kept below it.
   * @default not known
   */
  readonly contextWindowTokens?: number;
  /** False for models that cannot stream. @default true */
  readonly streaming?: boolean;
  /**
   * Whether to add cache points to requests. Models without prompt caching refuse them.
   * @default true if the id is that of a Claude model
   */
  readonly promptCaching?: boolean;
  /** Model-specific parameters, such as `{ thinking: { type: 'adaptive' } }`. */
  readonly additionalModelRequestFields?: JsonObject;
  /** The tier that processes requests. Tiers differ in price and speed. @default the service's */
  readonly serviceTier?: ServiceTier;
  /**
   * Other fields of each request, with the names of the Converse API, such as `{ requestMetadata: {
   * team: 'seven' } }`. The AWS client drops fields that its version does not know. Fields that the
   * adapter sets are `OPTION_INVALID`: `modelId`, `messages`, `system`, `toolConfig`,
   * `inferenceConfig.maxTokens`, and `additionalModelRequestFields` or `serviceTier` if the option
   * for it is set.
   */
  readonly extra?: JsonObject;
}

const OWNED_FIELDS = {
  modelId: 'the option model',
  messages: 'the conversation',
  system: 'the conversation',
  toolConfig: 'the conversation',
};

/** @internal Exported for tests. */
export const BEDROCK_OPTIONS: OptionsObject<BedrockModelOptions> = {
  of: 'bedrockModel',
  names: {
    model: 'text',
    region: 'text',
    client: 'object',
    contextWindowTokens: 'number',
    streaming: 'boolean',
    promptCaching: 'boolean',
    additionalModelRequestFields: 'plain',
    serviceTier: 'text',
    extra: 'plain',
  },
  page: 'docs/models.md',
  required: ['model'],
  otherWords: { modelId: 'model', stream: 'streaming' },
};

/**
 * Creates a model on Amazon Bedrock, through its Converse API. Nothing is looked up or sent before
 * the first request, which needs the `@aws-sdk/client-bedrock-runtime` package.
 * @throws PtcError `OPTION_INVALID` without `model`, and for a field of `extra` that the adapter sets.
 */
export function bedrockModel(options: BedrockModelOptions): LanguageModel {
  checkOptionNames(options, BEDROCK_OPTIONS);
  const { model, contextWindowTokens, region, streaming = true } = options;
  const { additionalModelRequestFields, serviceTier } = options;
  const { inferenceConfig, ...extra } = extraFields(options.extra, {
    ...OWNED_FIELDS,
    ...(additionalModelRequestFields === undefined
      ? {}
      : { additionalModelRequestFields: optionNamed('additionalModelRequestFields') }),
    ...(serviceTier === undefined ? {} : { serviceTier: optionNamed('serviceTier') }),
  });
  const settings: ConverseSettings = {
    modelId: model,
    promptCaching: options.promptCaching ?? model.includes('anthropic.claude'),
    additionalModelRequestFields,
    serviceTier,
    inferenceConfig: extraFields(
      inferenceConfig,
      { maxTokens: 'the conversation' },
      'extra.inferenceConfig',
    ),
    extra,
  };
  let { client } = options;
  return {
    id: model,
    ...(contextWindowTokens !== undefined && { contextWindowTokens }),
    check: (request) => void converseInput(request, settings),
    async *stream(request): AsyncGenerator<ModelStreamPart> {
      const { signal } = request;
      if (signal?.aborted) throw abortedError(signal);
      const { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } = await loadSdk(
        '@aws-sdk/client-bedrock-runtime',
        'bedrockModel',
        async () => import('@aws-sdk/client-bedrock-runtime'),
      );
      client ??= new BedrockRuntimeClient(region === undefined ? {} : { region });
      const input = converseInput(request, settings);
      yield* streaming
        ? converseStream(client, new ConverseStreamCommand(input), model, signal)
        : converse(client, new ConverseCommand(input), model, signal);
    },
  };
}

async function* converse(
  client: BedrockClient,
  command: BoundableCommand,
  model: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelStreamPart> {
  const bounds = new AnswerBounds(model);
  bounds.ofWhole(command);
  let end;
  try {
    const options = signal === undefined ? {} : { abortSignal: signal };
    end = wholeAnswer(toAnswer(await client.send(command, options)));
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal);
    throw bounds.refusal ?? toModelError(error, model, false);
  }
  yield* answerParts(end.content);
  yield end;
}

async function* converseStream(
  client: BedrockClient,
  command: BoundableCommand,
  model: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelStreamPart> {
  const answer = new BedrockAnswer();
  const bounds = new AnswerBounds(model);
  bounds.ofEvents(command);
  // Also aborted if the reader stops, because the client itself would keep the connection open.
  const connection = new AbortController();
  const signals = signal === undefined ? [connection.signal] : [connection.signal, signal];
  let streaming = false;
  try {
    const abortSignal = AbortSignal.any(signals);
    const { stream } = toAnswer(await client.send(command, { abortSignal }));
    streaming = true;
    for await (const event of stream ?? []) {
      const part = answer.take(event);
      if (part !== undefined) yield part;
    }
  } catch (error) {
    if (signal?.aborted) throw abortedError(signal);
    // An error after the complete answer is ignored.
    if (!answer.complete) throw bounds.refusal ?? toModelError(error, model, streaming);
  } finally {
    connection.abort();
  }
  if (!answer.complete) throw signal?.aborted ? abortedError(signal) : streamCutError(model);
  yield answer.end();
}

function toAnswer(given: unknown): ConverseAnswer {
  return isAnswer(given) ? given : {};
}

function isAnswer(given: unknown): given is ConverseAnswer {
  return typeof given === 'object' && given !== null;
}
