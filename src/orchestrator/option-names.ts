import type { SandboxExecutorOptions } from '../sessions/executor-options.ts';
import { checkNestedNames, EXECUTOR_NAMES } from '../sessions/option-names.ts';
import { checkOptionNames, type OptionNames } from '../shared/option-names.ts';
import type { OrchestratorOptions, RunOptions, RunSettings } from './orchestrator-options.ts';

const PAGE = 'docs/conversations.md';

const SETTING_NAMES: OptionNames<RunSettings> = {
  model: true,
  fallbackModel: true,
  maxRetries: true,
  summarize: true,
  instructions: true,
  maxTurns: true,
  maxTokens: true,
  temperature: true,
  topP: true,
  stopSequences: true,
  toolChoice: true,
  timeLimitMs: true,
  maxToolCalls: true,
  maxTotalTokens: true,
  maxCost: true,
  priceOf: true,
  prepareTurn: true,
  stopWhen: true,
};

export const ORCHESTRATOR_NAMES: OptionNames<OrchestratorOptions> = {
  ...EXECUTOR_NAMES,
  ...SETTING_NAMES,
  executor: true,
  session: true,
  conversation: true,
  messages: true,
  store: true,
  persistent: true,
  waitMs: true,
  labels: true,
  mode: true,
  onFailure: true,
  redact: true,
};

export const RUN_NAMES: OptionNames<RunOptions> = {
  ...SETTING_NAMES,
  output: true,
  signal: true,
  onEvent: true,
  tools: true,
  labels: true,
  context: true,
};

const INSTRUCTION_WORDS = { system: 'instructions', systemPrompt: 'instructions' } as const;

/** @throws PtcError `OPTION_INVALID` for a name that the options of a conversation do not have. */
export function checkOrchestratorNames(options: OrchestratorOptions): void {
  checkOptionNames(options, {
    of: 'ProgrammaticToolOrchestrator',
    names: ORCHESTRATOR_NAMES,
    page: PAGE,
    otherWords: {
      ...INSTRUCTION_WORDS,
      sandbox: 'provider',
      timeout: 'timeoutMs',
      sessionId: 'session',
    },
  });
  checkNestedNames(options);
}

/** @throws PtcError `OPTION_INVALID` for a name that the options of a run do not have. */
export function checkRunNames(options: RunOptions): void {
  const otherWords = {
    ...INSTRUCTION_WORDS,
    schema: 'output',
    timeout: 'timeLimitMs',
    timeoutMs: 'timeLimitMs',
  } as const;
  checkOptionNames(options, { of: 'run', names: RUN_NAMES, page: PAGE, otherWords });
}

/** The options of a conversation that are its executor's. */
export function executorOptions<Context>(
  options: OrchestratorOptions<Context>,
): SandboxExecutorOptions<Context> {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(EXECUTOR_NAMES, name));
  return Object.fromEntries(own);
}
