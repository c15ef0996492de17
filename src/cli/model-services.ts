import type { LanguageModel } from '../models/language-model.ts';
import { UsageError } from './failure.ts';

/** The name of a service in `--model SERVICE:NAME`. */
export type ServiceName = 'anthropic' | 'bedrock' | 'openai';

export interface ModelService {
  readonly title: string;
  /** The npm package of its client, which need not be installed. */
  readonly client: string;
  /** The service can be used if any of these environment variables is set. */
  readonly variables: readonly string[];
  /** The same for people, such as `AWS credentials`. */
  readonly credentials: string;
  /** The default model; undefined if the service has none. */
  readonly defaultModel: string | undefined;
  /** Whether the service can also find credentials outside of these variables. */
  readonly findsCredentialsElsewhere: boolean;
  /** @throws UsageError if the environment has an invalid URL. */
  connect(id: string, environment: NodeJS.ProcessEnv): Promise<ConnectedModel>;
}

export interface ConnectedModel {
  readonly model: LanguageModel;
  /** The service, such as `Amazon Bedrock`. */
  readonly place: string;
}

/** In the order in which default models are tried. */
export const MODEL_SERVICES: Readonly<Record<ServiceName, ModelService>> = {
  anthropic: {
    title: 'Anthropic',
    client: '@anthropic-ai/sdk',
    variables: ['ANTHROPIC_API_KEY'],
    credentials: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5-5',
    findsCredentialsElsewhere: false,
    connect: async (id) => {
      const { anthropicModel } = await import('../models/anthropic/model.ts');
      return { model: anthropicModel({ model: id }), place: 'Anthropic’s API' };
    },
  },
  bedrock: {
    title: 'Amazon Bedrock',
    client: '@aws-sdk/client-bedrock-runtime',
    variables: [
      'AWS_ACCESS_KEY_ID',
      'AWS_PROFILE',
      'AWS_BEARER_TOKEN_BEDROCK',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
      'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    ],
    credentials: 'AWS credentials, such as AWS_PROFILE',
    // An inference profile, because newer models cannot be called by their plain id.
    defaultModel: 'global.anthropic.claude-sonnet-4-6',
    // In the configuration files of AWS, or from the instance metadata of the machine.
    findsCredentialsElsewhere: true,
    connect: async (id) => {
      const { bedrockModel } = await import('../models/bedrock/model.ts');
      return { model: bedrockModel({ model: id }), place: 'Amazon Bedrock' };
    },
  },
  openai: {
    title: 'OpenAI or a compatible server',
    client: 'openai',
    variables: ['OPENAI_BASE_URL', 'OPENAI_API_KEY'],
    credentials: 'OPENAI_API_KEY or OPENAI_BASE_URL',
    // Each server has its own models.
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
  const { openaiModel } = await import('../models/openai/model.ts');
  const model = openaiModel({
    model: id,
    // The client requires a key; a local server accepts any.
    apiKey: key || 'none',
    ...(baseUrl && { baseUrl }),
  });
  return { model, place };
}

/** Returns only the host, because the rest of the URL may contain a password. */
function hostOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.host;
  throw new UsageError(
    `OPENAI_BASE_URL is ${JSON.stringify(baseUrl)}, which is not an http or https address. Set it to one, such as http://127.0.0.1:11434/v1.`,
  );
}
