import type { Language } from '../../languages/language.ts';
import type { ModelTool } from '../../models/language-model.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { showBytes } from '../../shared/show-bytes.ts';
import { describeSoftware } from './software-text.ts';

export const EXECUTE_CODE = 'execute_code';

/** What limits the programs of a conversation. */
export interface ProgramLimits extends Pick<
  ResourceLimits,
  'memoryBytes' | 'temporaryStorageBytes'
> {
  readonly timeoutMs: number;
}

/**
 * `execute_code` as a model's service gets it.
 * @param software - What programs find, if that is known.
 */
export function codeToolDefinition(
  languages: readonly Language[],
  limits: ProgramLimits,
  software?: SandboxSoftware,
): ModelTool {
  const parts = [
    descriptionOf(languages),
    describeSoftware(languages, software),
    describeLimits(limits),
  ];
  return {
    name: EXECUTE_CODE,
    description: parts.filter((part) => part !== '').join('\n\n'),
    inputSchema: {
      type: 'object',
      properties: {
        ...(languages.length > 1 && { language: languageProperty(languages) }),
        code: { type: 'string', description: 'The program to run.' },
      },
      required: ['code'],
      additionalProperties: false,
    },
  };
}

/** The input of a call of `execute_code`, or what is wrong with it, for the model. */
export type CodeInput =
  | { readonly language: LanguageName; readonly code: string }
  | { readonly problem: string };

/**
 * Reads the input of a call of `execute_code` by the model.
 * @param input - An object, or its JSON text, as services of OpenAI's protocol return it.
 */
export function readCodeInput(input: unknown, languages: readonly Language[]): CodeInput {
  const fields = typeof input === 'string' ? parseText(input) : input;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return { problem: NOT_AN_OBJECT };
  }
  const { code, language: name } = fields as Record<string, unknown>;
  if (typeof code !== 'string') return { problem: '`code` must be a string with the program.' };
  const language = name === undefined ? languages[0] : languages.find((one) => one.name === name);
  if (language !== undefined) return { language: language.name, code };
  const names = languages.map((one) => one.name).join(', ');
  return { problem: `\`language\` must be one of ${names}. Nothing was run.` };
}

/** The answer to a call whose arguments could not be read. */
export const NOT_AN_OBJECT =
  'The input of this call is not a JSON object, so nothing was run. Send it again.';

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function descriptionOf(languages: readonly Language[]): string {
  const [only] = languages;
  if (languages.length === 1 && only !== undefined) return only.executeCodeDescription;
  const parts = languages.map(
    ({ title, executeCodeDescription }) => `## ${title}\n\n${executeCodeDescription}`,
  );
  return [
    'Runs a program and returns what it prints. Each language keeps its own variables; they share the files in /tmp.',
    ...parts,
  ].join('\n\n');
}

/**
 * The limits of a program. They hold in every sandbox, and are known before one has started, so
 * that the text never changes.
 */
function describeLimits({ timeoutMs, memoryBytes, temporaryStorageBytes }: ProgramLimits): string {
  return `Limits: ${timeoutMs / 1000} s for each program, ${showBytes(memoryBytes)} of memory, ${showBytes(temporaryStorageBytes)} of files in /tmp and /dev/shm together.`;
}

function languageProperty(languages: readonly Language[]): JsonObject {
  const [first] = languages.map(({ name }) => name);
  return {
    type: 'string',
    enum: languages.map(({ name }) => name),
    description: `The program's language; ${first} if it is left out.`,
  };
}
