import type { LanguageModel } from '../models/language-model.ts';
import { isInstalled } from '../shared/installation.ts';
import type { ScriptedLanguage, ScriptedQuestion } from './demo/questions.ts';
import { UsageError } from './failure.ts';
import { MODEL_SERVICES, type ModelService, type ServiceName } from './model-services.ts';

const OFFLINE_NAME = 'scripted offline model';

const SERVICES = Object.entries(MODEL_SERVICES) as [ServiceName, ModelService][];

const WITH_SERVICE = new RegExp(`^(${Object.keys(MODEL_SERVICES).join('|')}):(.*)$`, 's');

/** Explains in the help how a model is chosen. docs/command-line.md says the same. */
export const MODEL_RULE = `\
Models: --model SERVICE:NAME uses that service: anthropic, bedrock or openai.
--model NAME uses the service that the environment has credentials for:
  anthropic  ANTHROPIC_API_KEY
  bedrock    AWS credentials, such as AWS_PROFILE
  openai     OPENAI_API_KEY; OPENAI_BASE_URL, with or without a key, for a compatible server
If several services have credentials, add SERVICE:. Without --model, the default model of anthropic
is used, or of bedrock, if there are credentials. Otherwise, a script on this machine answers.`;

/** What the script does that stands in for a model. */
export interface ScriptOptions {
  readonly language: ScriptedLanguage;
  readonly questions: readonly ScriptedQuestion[];
}

export interface ChosenModel {
  readonly model: LanguageModel;
  /** A short name of the model and its service. */
  readonly name: string;
  /** Says which model answers, and why. */
  readonly description: string;
  /** Whether a script answers instead of a model. */
  readonly offline: boolean;
}

/**
 * Chooses the model as `MODEL_RULE` says. If the client of the default service is not installed, the
 * script answers.
 * @param wanted - The value of `--model`: `NAME` or `SERVICE:NAME`.
 * @param script - The language of the script's programs, and the questions that it can answer.
 * @throws UsageError if no service matches, or more than one.
 */
export async function chooseModel(
  wanted: string | undefined,
  script: ScriptOptions,
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
    if (service.defaultModel === undefined) continue;
    if (isInstalled(service.client)) return connect(service, service.defaultModel, environment);
    return offline(script, `${service.title} needs: npm install ${service.client}`);
  }
  const unnamed = MODEL_SERVICES.openai.variables.find((name) => environment[name]);
  return offline(script, unnamed ? `${unnamed} needs --model NAME` : 'no API key found');
}

function serviceOf(
  wanted: string,
  usable: readonly [ServiceName, ModelService][],
): { readonly service: ModelService; readonly id: string } {
  const [, name, rest] = WITH_SERVICE.exec(wanted) ?? [];
  const id = rest ?? wanted;
  if (id.trim() === '') {
    throw new UsageError(
      `--model ${JSON.stringify(wanted)} has no model name. Add one, as in --model openai:qwen3.`,
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
      `--model ${wanted} needs ANTHROPIC_API_KEY, AWS credentials, OPENAI_API_KEY or OPENAI_BASE_URL in the environment. Set one, or omit --model to use the scripted offline model.`,
    );
  }
  if (others.length === 0) return { service: first[1], id };
  const titles = usable.map(([, { title }]) => title).join(', ');
  const choices = usable.map(([service]) => `--model ${service}:${id}`).join(' or ');
  throw new UsageError(
    `--model ${wanted} could be a model of several services, because the environment has credentials for each of these: ${titles}. Choose one: ${choices}.`,
  );
}

async function connect(
  service: ModelService,
  id: string,
  environment: NodeJS.ProcessEnv,
): Promise<ChosenModel> {
  const { model, place } = await service.connect(id, environment);
  const name = `${model.id}, by ${place}`;
  return { model, name, description: name, offline: false };
}

async function offline(
  { language, questions }: ScriptOptions,
  reason: string,
): Promise<ChosenModel> {
  const { offlineModel } = await import('./demo/offline-model.ts');
  return {
    model: offlineModel(language, questions),
    name: OFFLINE_NAME,
    description: `${OFFLINE_NAME} — ${reason}; its programs really run`,
    offline: true,
  };
}
