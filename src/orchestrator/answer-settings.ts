import type { AnswerSettings, ModelTool, ToolChoice } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import type { ToolSet } from '../tools/registry.ts';

/** @throws PtcError `OPTION_INVALID` for a value that no service accepts. */
export function checkAnswerSettings(settings: Partial<AnswerSettings>): void {
  const { temperature = 0, topP = 0, stopSequences = [], toolChoice } = settings;
  if (!isBetween(temperature, 0, Infinity)) {
    throw invalid('temperature', temperature, 'a number, at least 0');
  }
  if (!isBetween(topP, 0, 1)) throw invalid('topP', topP, 'a number from 0 to 1');
  if (!isListOfTexts(stopSequences)) {
    throw invalid('stopSequences', stopSequences, 'a list of texts that are not empty');
  }
  if (toolChoice !== undefined && !isReadable(toolChoice)) {
    throw invalid('toolChoice', toolChoice, "'auto', 'any', 'none' or { tool: 'its name' }");
  }
}

/**
 * The settings of a run's answers. The chosen tool has the name by which the model knows it.
 * @param offered - The tools that the model gets.
 * @throws PtcError `OPTION_INVALID` if `toolChoice` requires a tool that the model does not get.
 */
export function answerSettings(
  settings: Partial<AnswerSettings>,
  offered: readonly ModelTool[],
  tools: Pick<ToolSet, 'get'>,
): AnswerSettings {
  const { maxTokens = 8192, temperature, topP, stopSequences, toolChoice } = settings;
  return {
    maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stopSequences !== undefined && { stopSequences }),
    ...(toolChoice !== undefined && { toolChoice: offeredChoice(toolChoice, offered, tools) }),
  };
}

/**
 * The settings after a tool was called: a model that always has to call a tool would never answer.
 */
export function afterCall(settings: AnswerSettings): AnswerSettings {
  const { toolChoice, ...others } = settings;
  return toolChoice === 'auto' || toolChoice === 'none' ? settings : others;
}

function offeredChoice(
  choice: ToolChoice,
  offered: readonly ModelTool[],
  tools: Pick<ToolSet, 'get'>,
): ToolChoice {
  const names = offered.map(({ name }) => name);
  if (typeof choice === 'string') {
    if (choice !== 'any' || names.length > 0) return choice;
    throw unknown(choice, 'the model gets no tools in this run');
  }
  const tool = tools.get(choice.tool)?.identifier ?? choice.tool;
  if (names.includes(tool)) return { tool };
  throw unknown(
    choice,
    `the model does not get a tool named ${JSON.stringify(choice.tool)} in this run, only ${names.join(', ') || 'none'}`,
  );
}

function unknown(choice: ToolChoice, why: string): PtcError {
  return new PtcError('OPTION_INVALID', `toolChoice is invalid: ${why}.`, {
    details: { option: 'toolChoice', value: choice },
  });
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most && Number.isFinite(value);
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');
}

/** A value that cannot be read, such as a revoked proxy, is none. */
function isReadable(value: unknown): boolean {
  try {
    return isToolChoice(value);
  } catch {
    return false;
  }
}

function isToolChoice(value: unknown): boolean {
  if (typeof value === 'string') return ['auto', 'any', 'none'].includes(value);
  return (
    typeof value === 'object' &&
    value !== null &&
    'tool' in value &&
    typeof value.tool === 'string' &&
    Object.keys(value).length === 1
  );
}

function invalid(option: string, value: unknown, expected: string): PtcError {
  return new PtcError('OPTION_INVALID', `${option} must be ${expected}, not ${shown(value)}.`, {
    details: { option, value },
  });
}

function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100);
  } catch {
    return typeof value;
  }
}
