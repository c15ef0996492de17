import type {
  OfflineAnswer,
  OfflineMessage,
  OfflineRequest,
  OfflineScript,
} from '../../models/offline-server.ts';
import { SCRIPTED_QUESTIONS, type ScriptedLanguage, type ScriptedQuestion } from './questions.ts';

/**
 * Plays a model that knows a few questions. Only the programs are canned: they really run, and the
 * answer quotes what came back.
 */
export function offlineScript(language: ScriptedLanguage): OfflineScript {
  return (request) => answer(request, language);
}

function answer(request: OfflineRequest, language: ScriptedLanguage): OfflineAnswer {
  const { question, results } = openExchange(request);
  const scripted = SCRIPTED_QUESTIONS.find((candidate) => candidate.question === question);
  if (scripted === undefined) return say(unknownQuestion());
  const failure = results.find((result) => result.failed);
  if (failure !== undefined) return say(`The program did not work:\n\n${failure.text.trimEnd()}`);
  const program = scripted.programs[results.length];
  if (program === undefined) return say(answerTo(scripted, results.at(-1)?.text ?? ''));
  return {
    stopReason: 'tool_use',
    content: [
      { type: 'text', text: program.remark },
      {
        type: 'tool_use',
        id: `toolu_offline_${request.messages.length}`,
        name: 'execute_code',
        input: { code: program.code[language] },
      },
    ],
  };
}

interface ToolResult {
  readonly text: string;
  readonly failed: boolean;
}

/** The last question and what was run for it so far. */
function openExchange({ messages }: OfflineRequest): {
  readonly question: string;
  readonly results: readonly ToolResult[];
} {
  // Beside a question there may be results of a run before it, which was stopped.
  const asked = messages.findLastIndex(
    ({ role, content }) => role === 'user' && textOf(content) !== '',
  );
  const message = messages[asked];
  return {
    question: message === undefined ? '' : textOf(message.content),
    results: messages.slice(asked + 1).flatMap(toolResults),
  };
}

function toolResults({ content }: OfflineMessage): ToolResult[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ text: textOf(block['content']), failed: block['is_error'] === true }]
      : [],
  );
}

/** The text of content, which is a string or a list of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { readonly text?: unknown }) => (typeof block.text === 'string' ? block.text : ''))
    .join('');
}

function answerTo({ opening }: ScriptedQuestion, printed: string): string {
  return `${opening}\n\n${printed.trimEnd()}`;
}

function unknownQuestion(): string {
  const known = SCRIPTED_QUESTIONS.map(({ question }, index) => `${index + 1}. ${question}`);
  return `I am a script and no model, so I only know these questions:\n\n${known.join('\n')}`;
}

function say(text: string): OfflineAnswer {
  return { stopReason: 'end_turn', content: [{ type: 'text', text }] };
}
