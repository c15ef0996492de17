import type { LanguageModel } from '../models/language-model.ts';
import { UsageError } from './failure.ts';

/** A service that chat and demo can ask, by the name that `--model SERVICE:NAME` has. */
export type ServiceName = 'anthropic' | 'bedrock' | 'openai';

export interface ModelService {
  readonly title: string;
  /** Any of these variables means that the service can be used. */
  readonly variables: readonly string[];
  /** The same as a person is told, such as `AWS credentials`. */
  readonly credentials: string;
  /** The model if none is named; undefined if the service has no default model. */
  readonly defaultModel: string | undefined;
  /** Whether the service may have credentials that no variable tells of. */
  readonly findsCredentialsElsewhere: boolean;
  /** @throws UsageError if the environment has an address that cannot be used. */
  connect(id: string, environment: NodeJS.ProcessEnv): Promise<ConnectedModel>;
}

export interface ConnectedModel {
  readonly model: LanguageModel;
  /** Who answers, such as `Amazon Bedrock`. */
  readonly place: string;
}

/** In the order in which a default model is looked for. */
export const MODEL_SERVICES: Readonly<Record<ServiceName, ModelService>> = {
  anthropic: {
    title: 'Anthropic',
    variables: ['ANTHROPIC_API_KEY'],
    credentials: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5-5',
    findsCredentialsElsewhere: false,
    connect: async (id) => {
      const { anthropicModel } = await import('../models/anthropic.ts');
      return { model: anthropicModel({ model: id }), place: 'Anthropic’s API' };
    },
  },
  bedrock: {
    title: 'Amazon Bedrock',
    variables: [
      'AWS_ACCESS_KEY_ID',
      'AWS_PROFILE',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    ],
    credentials: 'AWS credentials, such as AWS_PROFILE',
    // An inference profile, because newer models cannot be called by their bare id.
    defaultModel: 'global.anthropic.claude-sonnet-4-6',
    // In the files of the AWS tools, or from the machine that it runs on.
    findsCredentialsElsewhere: true,
    connect: async (id) => {
      const { bedrockModel } = await import('../models/bedrock.ts');
      return { model: bedrockModel({ model: id }), place: 'Amazon Bedrock' };
    },
  },
  openai: {
    title: 'OpenAI or a compatible server',
    variables: ['OPENAI_BASE_URL', 'OPENAI_API_KEY'],
    credentials: 'OPENAI_API_KEY or OPENAI_BASE_URL',
    // Each server has models of its own.
    defaultModel: undefined,
    findsCredentialsElsewhere: false,
    connect: connectOpenAI,
  },
};

async function connectOpenAI(
  id: string,
  { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key }: NodeJS.ProcessEnv,
): Promise<ConnectedModel> {
  const place = baseUrl ? `the server at ${hostOf(baseUrl)}` : 'OpenAI’s API';
  const { openaiModel } = await import('../models/openai.ts');
  const model = openaiModel({
    model: id,
    // The client insists on a key, a local server takes any.
    apiKey: key || 'none',
    ...(baseUrl && { baseUrl }),
  });
  return { model, place };
}

/** Without the rest of the address, which may hold a password. */
function hostOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.host;
  throw new UsageError(
    `OPENAI_BASE_URL is ${JSON.stringify(baseUrl)}, which is not an http or https address. Set it to one, such as http://127.0.0.1:11434/v1.`,
  );
}
