import type { LanguageModel } from '../models/language-model.ts';
import type { ScriptedLanguage } from './demo/questions.ts';
import { UsageError } from './failure.ts';

const ANTHROPIC_MODEL = 'claude-sonnet-5-5';

/** An inference profile, for newer models cannot be called by their bare id. */
const BEDROCK_MODEL = 'global.anthropic.claude-sonnet-4-6';

const OFFLINE_NAME = 'scripted offline model';

/** Any of these means that the AWS SDK has credentials to find. */
const AWS_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

export interface ChosenModel extends AsyncDisposable {
  readonly model: LanguageModel;
  /** What answers, in a few words. */
  readonly name: string;
  /** Says plainly what answers, and why. */
  readonly description: string;
  /** Whether a script plays the model. */
  readonly offline: boolean;
}

/**
 * The model that the environment has a key for: Anthropic's API, else Amazon Bedrock, else a script
 * behind a local server that speaks the same API.
 * @param language - What the script writes its programs in.
 * @throws UsageError for a model id where there is no key to use it with.
 */
export async function chooseModel(
  id: string | undefined,
  language: ScriptedLanguage = 'python',
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ChosenModel> {
  if (environment['ANTHROPIC_API_KEY']) {
    const { anthropicModel } = await import('../models/anthropic.ts');
    const model = anthropicModel({ model: id ?? ANTHROPIC_MODEL });
    return online(model, `${model.id}, by Anthropic’s API`);
  }
  if (AWS_VARIABLES.some((name) => environment[name])) {
    const { bedrockModel } = await import('../models/bedrock.ts');
    const model = bedrockModel({ model: id ?? BEDROCK_MODEL });
    return online(model, `${model.id}, by Amazon Bedrock`);
  }
  if (id !== undefined) {
    throw new UsageError(
      `--model ${id} needs ANTHROPIC_API_KEY, or AWS credentials, in the environment. Set one, or leave --model out for the scripted offline model.`,
    );
  }
  return offline(language);
}

function online(model: LanguageModel, name: string): ChosenModel {
  return { model, name, description: name, offline: false, [Symbol.asyncDispose]: async () => {} };
}

async function offline(language: ScriptedLanguage): Promise<ChosenModel> {
  const [{ anthropicModel }, { startOfflineModel }, { offlineScript }] = await Promise.all([
    import('../models/anthropic.ts'),
    import('../models/offline-server.ts'),
    import('./demo/offline-script.ts'),
  ]);
  const server = await startOfflineModel(offlineScript(language));
  return {
    model: anthropicModel({ model: 'scripted-offline', apiKey: 'none', baseUrl: server.baseUrl }),
    name: OFFLINE_NAME,
    description: `${OFFLINE_NAME} — no API key found; its code really runs`,
    offline: true,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
