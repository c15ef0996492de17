import type { Tool } from '../../tools/tool.ts';
import { expenseTools } from './expense-tools.ts';
import type { ScenarioName } from './scenario-names.ts';
import { orderTools } from './order-tools.ts';
import {
  DATA_QUESTIONS,
  SCRIPTED_QUESTIONS,
  type ScriptedLanguage,
  type ScriptedQuestion,
} from './questions.ts';

/** What a demo shows. */
export interface Scenario {
  readonly tools: readonly Tool[];
  /** Those that the script can answer. The demo asks the first. */
  readonly questions: readonly [ScriptedQuestion, ...ScriptedQuestion[]];
  /** Those of its programs. */
  readonly languages: readonly ScriptedLanguage[];
  /** Suggests to the user of a real model what to ask. */
  readonly invitation: string;
  /** The characters of the files that its tools have given to programs. */
  readonly fileCharacters: () => number;
}

/** A mock service, with questions about it. */
export function openScenario(name: ScenarioName): Scenario {
  if (name === 'expenses') {
    return {
      tools: expenseTools,
      questions: SCRIPTED_QUESTIONS,
      languages: ['python', 'typescript'],
      invitation: 'Ask about the expenses of the engineering, sales and marketing departments.',
      fileCharacters: () => 0,
    };
  }
  let written = 0;
  return {
    tools: orderTools((characters) => {
      written += characters;
    }),
    questions: DATA_QUESTIONS,
    languages: ['python'],
    invitation: 'Ask about the orders of 2025.',
    fileCharacters: () => written,
  };
}
