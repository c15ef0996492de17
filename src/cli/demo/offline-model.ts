import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ToolResultBlock,
} from '../../models/language-model.ts';
import { scriptedModel, type ScriptedAnswer } from '../../models/scripted.ts';
import { SCRIPTED_QUESTIONS, type ScriptedLanguage, type ScriptedQuestion } from './questions.ts';

/**
 * Simulates a model that knows a few questions. Only the programs are fixed: they really run, and
 * the answers quote their output.
 */
export function offlineModel(language: ScriptedLanguage): LanguageModel {
  return scriptedModel((request) => answer(request, language));
}

function answer(request: ModelRequest, language: ScriptedLanguage): ScriptedAnswer {
  const { question, results } = openExchange(request);
  const scripted = SCRIPTED_QUESTIONS.find((candidate) => candidate.question === question);
  if (scripted === undefined) return say(unknownQuestion());
  const failure = results.find((result) => result.isError);
  if (failure !== undefined) return say(`The program failed:\n\n${failure.text.trimEnd()}`);
  const program = scripted.programs[results.length];
  if (program === undefined) return say(answerTo(scripted, results.at(-1)?.text ?? ''));
  return {
    content: [
      { type: 'text', text: program.remark },
      {
        type: 'tool-use',
        id: `toolu_offline_${request.messages.length}`,
        name: 'execute_code',
        input: { code: program.code[language] },
      },
    ],
  };
}

/** The last question, and the results of the programs that were run for it so far. */
function openExchange({ messages }: ModelRequest): {
  readonly question: string;
  readonly results: readonly ToolResultBlock[];
} {
  // A question may follow results of an earlier run, which was stopped.
  const asked = messages.findLastIndex(
    (message) => message.role === 'user' && textOf(message) !== '',
  );
  const message = messages[asked];
  return {
    question: message === undefined ? '' : textOf(message),
    results: messages.slice(asked + 1).flatMap(toolResults),
  };
}

function toolResults({ content }: ModelMessage): ToolResultBlock[] {
  return [...content].filter((block) => block.type === 'tool-result');
}

function textOf({ content }: ModelMessage): string {
  return [...content].map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function answerTo({ opening }: ScriptedQuestion, printed: string): string {
  return `${opening}\n\n${printed.trimEnd()}`;
}

function unknownQuestion(): string {
  const known = SCRIPTED_QUESTIONS.map(({ question }, index) => `${index + 1}. ${question}`);
  return `I am a script and not a model, so I know only these questions:\n\n${known.join('\n')}`;
}

function say(text: string): ScriptedAnswer {
  return { content: [{ type: 'text', text }] };
}
