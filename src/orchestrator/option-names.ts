import { checkPolicyNames, EXECUTOR_NAMES } from '../sessions/options/option-names.ts';
import {
  checkOptionNames,
  type OptionNames,
  type OptionsObject,
} from '../shared/options/option-names.ts';
import {
  checkOrchestratorOptions,
  checkRunSettings,
  type OrchestratorOptions,
  type RunOptions,
  type RunSettings,
} from './orchestrator-options.ts';

export const PAGE = 'docs/conversations.md';

const SETTING_NAMES: OptionNames<RunSettings> = {
  model: true,
  fallbackModel: true,
  maxRetries: 'number',
  summarize: 'function',
  instructions: 'text',
  maxTurns: 'number',
  maxTokens: 'number',
  temperature: 'number',
  topP: 'number',
  stopSequences: 'array',
  toolChoice: true,
  runTimeoutMs: 'number',
  maxToolCalls: 'number',
  maxTotalTokens: 'number',
  maxCost: 'number',
  priceOf: 'function',
  prepareTurn: 'function',
  stopWhen: 'function',
};

export const ORCHESTRATOR_NAMES: OptionNames<OrchestratorOptions> = {
  ...SETTING_NAMES,
  executor: true,
  tools: true,
  catalog: true,
  policy: true,
  audit: true,
  languages: 'array',
  programTimeoutMs: 'number',
  yieldAfterMs: 'number',
  maxResultBytes: 'number',
  hints: 'boolean',
  sessionKey: 'text',
  conversation: true,
  messages: true,
  store: true,
  persistent: 'boolean',
  sessionWaitMs: 'number',
  labels: 'plain',
  mode: true,
  onFailure: true,
  redact: 'function',
};

export const RUN_NAMES: OptionNames<RunOptions> = {
  ...SETTING_NAMES,
  output: true,
  signal: 'signal',
  onEvent: 'function',
  tools: true,
  labels: 'plain',
  context: true,
};

const { onEvent: _onEvent, ...OF_STREAM } = RUN_NAMES;
export const STREAM_NAMES: OptionNames<Omit<RunOptions, 'onEvent'>> = OF_STREAM;

const INSTRUCTION_WORDS = { system: 'instructions', systemPrompt: 'instructions' } as const;

/** Options of the executor, which are in an object of their own. */
const EXECUTOR_WORDS = Object.fromEntries(
  Object.keys(EXECUTOR_NAMES)
    .filter((name) => !Object.hasOwn(ORCHESTRATOR_NAMES, name))
    .map((name) => [name, `executor.${name}`] as const),
);

/** Names that users may write for options of a conversation or of its fork. */
export const ORCHESTRATOR_WORDS: Exclude<
  OptionsObject<Omit<OrchestratorOptions, 'conversation' | 'messages'>>['otherWords'],
  undefined
> = {
  ...INSTRUCTION_WORDS,
  ...EXECUTOR_WORDS,
  sandbox: 'executor.provider',
  timeout: 'programTimeoutMs',
  timeoutMs: 'programTimeoutMs',
  timeLimitMs: 'runTimeoutMs',
  waitMs: 'sessionWaitMs',
  session: 'sessionKey',
  key: 'sessionKey',
  sessionId: 'sessionKey',
};

const ORCHESTRATOR: OptionsObject<OrchestratorOptions> = {
  of: 'ProgrammaticToolOrchestrator',
  names: ORCHESTRATOR_NAMES,
  page: PAGE,
  otherWords: ORCHESTRATOR_WORDS,
};

/**
 * @throws PtcError `OPTION_INVALID` for names and values that the options of a conversation cannot
 * have.
 */
export function checkOrchestrator(options: OrchestratorOptions): void {
  checkOptionNames(options, ORCHESTRATOR);
  if (options.policy !== undefined) checkPolicyNames(options.policy);
  checkOrchestratorOptions(options);
}

const RUN_WORDS = {
  ...INSTRUCTION_WORDS,
  schema: 'output',
  timeout: 'runTimeoutMs',
  timeoutMs: 'runTimeoutMs',
  timeLimitMs: 'runTimeoutMs',
} as const;

/** @throws PtcError `OPTION_INVALID` for names and values that the options of a run cannot have. */
export function checkRun(options: RunOptions): void {
  checkOptionNames(options, { of: 'run', names: RUN_NAMES, page: PAGE, otherWords: RUN_WORDS });
  checkRunSettings(options);
}

/** @throws PtcError `OPTION_INVALID`, also for `onEvent`: a stream has its own. */
export function checkStream(options: Omit<RunOptions, 'onEvent'>): void {
  checkOptionNames(options, {
    of: 'stream',
    names: STREAM_NAMES,
    page: PAGE,
    otherWords: RUN_WORDS,
  });
  checkRunSettings(options);
}
