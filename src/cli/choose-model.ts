import type { LanguageModel } from '../models/language-model.ts';
import type { ScriptedLanguage } from './demo/questions.ts';
import { UsageError } from './failure.ts';
import { MODEL_SERVICES, type ModelService, type ServiceName } from './model-services.ts';

const OFFLINE_NAME = 'scripted offline model';

const SERVICES = Object.entries(MODEL_SERVICES) as [ServiceName, ModelService][];

const WITH_SERVICE = new RegExp(`^(${Object.keys(MODEL_SERVICES).join('|')}):(.*)$`, 's');

/** How a model is chosen, for the help. docs/command-line.md says the same. */
export const MODEL_RULE = `\
Which model: --model SERVICE:NAME asks that service, which is anthropic, bedrock or openai. With
--model NAME it is the service that the environment has credentials for:
  anthropic  ANTHROPIC_API_KEY
  bedrock    AWS credentials, such as AWS_PROFILE
  openai     OPENAI_API_KEY; OPENAI_BASE_URL, with or without a key, for a compatible server
If several have credentials, give SERVICE: too. Without --model it is the default model of
anthropic, else of bedrock, by their credentials; else a script plays the model on this machine.`;

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
 * The model that `MODEL_RULE` gives. The script is behind a local server that speaks Anthropic's API.
 * @param wanted - What `--model` says: `NAME` or `SERVICE:NAME`.
 * @param language - What the script writes its programs in.
 * @throws UsageError if no service, or more than one, could be meant.
 */
export async function chooseModel(
  wanted: string | undefined,
  language: ScriptedLanguage = 'python',
  environment: NodeJS.ProcessEnv = process.env,
): Promise<ChosenModel> {
  const usable = SERVICES.filter(([, { variables }]) =>
    variables.some((name) => environment[name]),
  );
  if (wanted !== undefined) {
    const { service, id } = serviceOf(wanted, usable);
    return connect(service, id, environment);
  }
  for (const [, service] of usable) {
    if (service.defaultModel !== undefined) {
      return connect(service, service.defaultModel, environment);
    }
  }
  const unnamed = MODEL_SERVICES.openai.variables.find((name) => environment[name]);
  return offline(language, unnamed ? `${unnamed} needs --model NAME` : 'no API key found');
}

function serviceOf(
  wanted: string,
  usable: readonly [ServiceName, ModelService][],
): { readonly service: ModelService; readonly id: string } {
  const [, name, rest] = WITH_SERVICE.exec(wanted) ?? [];
  const id = rest ?? wanted;
  if (id.trim() === '') {
    throw new UsageError(
      `--model ${JSON.stringify(wanted)} names no model. Give its name, as in --model openai:qwen3.`,
    );
  }
  if (name !== undefined) {
    const service = MODEL_SERVICES[name as ServiceName];
    if (service.findsCredentialsElsewhere || usable.some(([, one]) => one === service)) {
      return { service, id };
    }
    throw new UsageError(
      `--model ${wanted} needs ${service.credentials} in the environment. Set it.`,
    );
  }
  const [first, ...others] = usable;
  if (first === undefined) {
    throw new UsageError(
      `--model ${wanted} needs ANTHROPIC_API_KEY, AWS credentials, OPENAI_API_KEY or OPENAI_BASE_URL in the environment. Set one, or leave --model out for the scripted offline model.`,
    );
  }
  if (others.length === 0) return { service: first[1], id };
  const titles = usable.map(([, { title }]) => title).join(', ');
  const choices = usable.map(([service]) => `--model ${service}:${id}`).join(' or ');
  throw new UsageError(
    `--model ${wanted} could be a model of several services, because the environment has credentials for each of these: ${titles}. Say which: ${choices}.`,
  );
}

async function connect(
  service: ModelService,
  id: string,
  environment: NodeJS.ProcessEnv,
): Promise<ChosenModel> {
  const { model, place } = await service.connect(id, environment);
  const name = `${model.id}, by ${place}`;
  return { model, name, description: name, offline: false, [Symbol.asyncDispose]: async () => {} };
}

async function offline(language: ScriptedLanguage, reason: string): Promise<ChosenModel> {
  const [{ anthropicModel }, { startOfflineModel }, { offlineScript }] = await Promise.all([
    import('../models/anthropic.ts'),
    import('../models/offline-server.ts'),
    import('./demo/offline-script.ts'),
  ]);
  const server = await startOfflineModel(offlineScript(language));
  return {
    model: anthropicModel({ model: 'scripted-offline', apiKey: 'none', baseUrl: server.baseUrl }),
    name: OFFLINE_NAME,
    description: `${OFFLINE_NAME} — ${reason}; its code really runs`,
    offline: true,
    [Symbol.asyncDispose]: () => server.close(),
  };
}
