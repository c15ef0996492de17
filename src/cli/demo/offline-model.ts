import type {
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ToolResultBlock,
} from '../../models/language-model.ts';
import { scriptedModel, type ScriptedAnswer } from '../../models/scripted.ts';
import { EXECUTE_CODE } from '../../orchestrator/code/code-tool-definition.ts';
import type { ScriptedLanguage, ScriptedProgram, ScriptedQuestion } from './questions.ts';

/**
 * Simulates a model that knows a few questions. Only the programs are fixed: they really run, and
 * the answers quote their output.
 */
export function offlineModel(
  language: ScriptedLanguage,
  questions: readonly ScriptedQuestion[],
): LanguageModel {
  return scriptedModel((request) => answer(request, language, questions));
}

function answer(
  request: ModelRequest,
  language: ScriptedLanguage,
  questions: readonly ScriptedQuestion[],
): ScriptedAnswer {
  const { question, results } = openExchange(request);
  const scripted = questions.find((candidate) => candidate.question === question);
  if (scripted === undefined) return say(unknownQuestion(questions));
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
        input: { code: codeOf(program, language, request) },
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

/** Like a model, it uses the libraries of which it is told. */
function codeOf(
  { code }: ScriptedProgram,
  language: ScriptedLanguage,
  { tools }: ModelRequest,
): string {
  const told = tools.find(({ name }) => name === EXECUTE_CODE)?.description ?? '';
  const hasPandas = /\bpandas \d/.test(told) && /\bmatplotlib \d/.test(told);
  if (language === 'python' && hasPandas) return code.pandas ?? code.python;
  return code[language] ?? code.python;
}

function unknownQuestion(questions: readonly ScriptedQuestion[]): string {
  const known = questions.map(({ question }, index) => `${index + 1}. ${question}`);
  return `I am a script and not a model, so I know only these questions:\n\n${known.join('\n')}`;
}

function say(text: string): ScriptedAnswer {
  return { content: [{ type: 'text', text }] };
}
