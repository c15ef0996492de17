import type { AnswerSettings, ModelTool, ToolChoice } from '../models/language-model.ts';
import { PtcError } from '../shared/errors.ts';
import { isOfKind } from '../shared/options/option-kinds.ts';
import { checkOptionNames, type OptionsObject } from '../shared/options/option-names.ts';
import { invalidOption } from '../shared/options/option-values.ts';
import type { ToolSet } from '../tools/registry/tool-set.ts';

const CHOICES: ReadonlySet<unknown> = new Set<ToolChoice>(['auto', 'any', 'none']);

const TOOL_CHOICE: OptionsObject<Exclude<ToolChoice, string>> = {
  of: 'toolChoice',
  names: { tool: 'text' },
  page: 'docs/conversations.md',
  otherWords: { name: 'tool' },
  required: ['tool'],
};

/** @throws PtcError `OPTION_INVALID` for a value that no service accepts. */
export function checkAnswerSettings(settings: Partial<AnswerSettings>): void {
  const { temperature = 0, topP = 0, stopSequences = [], toolChoice } = settings;
  if (!isBetween(temperature, 0, Infinity)) {
    throw invalidOption('temperature', temperature, 'a number, at least 0');
  }
  if (!isBetween(topP, 0, 1)) throw invalidOption('topP', topP, 'a number from 0 to 1');
  checkStopSequences(stopSequences);
  if (isOfKind(toolChoice, 'object')) checkOptionNames(toolChoice, TOOL_CHOICE);
  else if (toolChoice !== undefined && !CHOICES.has(toolChoice)) {
    const expected = "'auto', 'any', 'none' or { tool: 'its name' }";
    throw invalidOption('toolChoice', toolChoice, expected);
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

function checkStopSequences(texts: readonly unknown[]): void {
  if (!isOfKind(texts, 'array')) {
    throw invalidOption('stopSequences', texts, 'a list of texts that are not empty');
  }
  for (const [index, text] of texts.entries()) {
    if (typeof text === 'string' && text !== '') continue;
    throw invalidOption(`stopSequences[${index}]`, text, 'text that is not empty');
  }
}
