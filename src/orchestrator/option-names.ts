import type { SandboxExecutorOptions } from '../sessions/executor-options.ts';
import { checkNestedNames, EXECUTOR_NAMES } from '../sessions/option-names.ts';
import { checkOptionNames, type OptionNames, type OptionsObject } from '../shared/option-names.ts';
import {
  checkRunSettings,
  type OrchestratorOptions,
  type RunOptions,
  type RunSettings,
} from './orchestrator-options.ts';

const PAGE = 'docs/conversations.md';

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
  timeLimitMs: 'number',
  maxToolCalls: 'number',
  maxTotalTokens: 'number',
  maxCost: 'number',
  priceOf: 'function',
  prepareTurn: 'function',
  stopWhen: 'function',
};

export const ORCHESTRATOR_NAMES: OptionNames<OrchestratorOptions> = {
  ...EXECUTOR_NAMES,
  ...SETTING_NAMES,
  executor: true,
  session: 'text',
  conversation: true,
  messages: true,
  store: true,
  persistent: 'boolean',
  waitMs: 'number',
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

const ORCHESTRATOR: OptionsObject<OrchestratorOptions> = {
  of: 'ProgrammaticToolOrchestrator',
  names: ORCHESTRATOR_NAMES,
  page: PAGE,
  otherWords: {
    ...INSTRUCTION_WORDS,
    sandbox: 'provider',
    timeout: 'timeoutMs',
    sessionId: 'session',
  },
};

/** @throws PtcError `OPTION_INVALID` for a name that the options of a conversation do not have. */
export function checkOrchestratorNames(options: OrchestratorOptions): void {
  checkOptionNames(options, ORCHESTRATOR);
  checkNestedNames(options);
}

/** @throws PtcError `OPTION_INVALID` */
export function checkForkNames(options: Partial<OrchestratorOptions>): void {
  checkOptionNames(options, { ...ORCHESTRATOR, of: 'fork' });
}

const RUN_WORDS = {
  ...INSTRUCTION_WORDS,
  schema: 'output',
  timeout: 'timeLimitMs',
  timeoutMs: 'timeLimitMs',
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

/** The options of a conversation that are its executor's. */
export function executorOptions<Context>(
  options: OrchestratorOptions<Context>,
): SandboxExecutorOptions<Context> {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(EXECUTOR_NAMES, name));
  return Object.fromEntries(own);
}
