import type {
  ConverseCommandInput,
  ConverseStreamCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { given } from '../../shared/given.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { checkOptionNames, type OptionsObject } from '../../shared/options/option-names.ts';
import { AnswerBounds } from './answer-bounds.ts';
import { StreamedAnswer, WholeAnswer } from './answer.ts';
import type { BedrockClient, BedrockServiceTier } from './client.ts';
import { toModelError } from './errors.ts';
import { converseInput } from './request.ts';
import type { ConverseSettings } from './request.ts';
import { extraFields, fieldsOfOptions } from '../shared/extra-fields.ts';
import type { LanguageModel } from '../language-model.ts';
import { loadSdk } from '../shared/load-sdk.ts';
import { streamAnswer } from '../shared/stream-answer.ts';

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
  /**
   * False for a model that refuses images. It is told about those that programs show, and does not
   * get them. An image of the user is `MODEL_INPUT_UNSUPPORTED`.
   * @default true
   */
  readonly acceptsImages?: boolean;
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
  readonly serviceTier?: BedrockServiceTier;
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

export const BEDROCK_OPTIONS: OptionsObject<BedrockModelOptions> = {
  of: 'bedrockModel',
  names: {
    model: 'text',
    region: 'text',
    client: 'object',
    contextWindowTokens: 'number',
    acceptsImages: 'boolean',
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
    ...fieldsOfOptions(options, {
      additionalModelRequestFields: 'additionalModelRequestFields',
      serviceTier: 'serviceTier',
    }),
  });
  const settings: ConverseSettings = {
    modelId: model,
    promptCaching: options.promptCaching ?? model.includes('anthropic.claude'),
    acceptsImages: options.acceptsImages ?? true,
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
    ...given({ contextWindowTokens }),
    check: (request) => void converseInput(request, settings),
    stream: (request) => {
      const bounds = new AnswerBounds(model);
      return streamAnswer<unknown>({
        model,
        signal: request.signal,
        answer: streaming ? new StreamedAnswer(model) : new WholeAnswer(),
        open: async (abortSignal) => {
          const sdk = await loadSdk(
            '@aws-sdk/client-bedrock-runtime',
            'bedrockModel',
            async () => import('@aws-sdk/client-bedrock-runtime'),
          );
          client ??= new sdk.BedrockRuntimeClient(given({ region }));
          const input = converseInput(request, settings) as ConverseCommandInput;
          if (!streaming) {
            const command = new sdk.ConverseCommand(input);
            bounds.ofWhole(command);
            return [await client.send(command, { abortSignal })];
          }
          const command = new sdk.ConverseStreamCommand(input);
          bounds.ofEvents(command);
          const answer = await client.send(command, { abortSignal });
          return (answer as Partial<ConverseStreamCommandOutput>).stream ?? [];
        },
        toError: (thrown, begun) => bounds.refusal ?? toModelError(thrown, model, begun),
      });
    },
  };
}
