import type { Language } from '../../languages/language.ts';
import type { ModelTool } from '../../models/language-model.ts';
import type { LanguageName } from '../../protocol/messages.ts';
import type { ResourceLimits } from '../../sandbox/sandbox.ts';
import type { SandboxSoftware } from '../../sandbox/software/software.ts';
import type { JsonObject } from '../../shared/json/json.ts';
import { isRecord } from '../../shared/guards.ts';
import { showBytes } from '../../shared/show-bytes.ts';
import { describeYield, PROGRAM_PROPERTIES } from '../long-programs/program-input.ts';
import { describeSoftware } from './software/software-text.ts';

export const EXECUTE_CODE = 'execute_code';

/** The least that a model can be given of a result. */
export const LEAST_RESULT_BYTES = 1000;
/** As tokens are estimated everywhere here. */
const BYTES_OF_TOKEN = 4;

/** What limits the programs of a conversation. */
export interface ProgramLimits extends Pick<
  ResourceLimits,
  'memoryBytes' | 'temporaryStorageBytes'
> {
  readonly timeoutMs: number;
  /** How long a call waits for its program. @default until it has ended */
  readonly yieldAfterMs?: number | undefined;
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
  const { yieldAfterMs } = limits;
  const parts = [
    descriptionOf(languages, software),
    describeSoftware(languages, software),
    describeLimits(limits),
    yieldAfterMs === undefined
      ? ''
      : describeYield(
          yieldAfterMs,
          languages.map(({ name }) => name),
        ),
  ];
  return {
    name: EXECUTE_CODE,
    description: parts.filter((part) => part !== '').join('\n\n'),
    inputSchema: {
      type: 'object',
      properties: {
        ...(languages.length > 1 && { language: languageProperty(languages) }),
        code: { type: 'string', description: 'The program to run.' },
        max_output_tokens: {
          type: 'integer',
          minimum: LEAST_RESULT_BYTES / BYTES_OF_TOKEN,
          description:
            'How much of the output you want to read, at most. All of it is kept in a file.',
        },
        ...(yieldAfterMs !== undefined && PROGRAM_PROPERTIES),
      },
      ...(yieldAfterMs === undefined && { required: ['code'] }),
      additionalProperties: false,
    },
  };
}

/** The input of a call of `execute_code`, or what is wrong with it, for the model. */
export type CodeInput =
  | {
      readonly language: LanguageName;
      readonly code: string;
      /** How much of the result the model wants. @default no less than it can get */
      readonly maxBytes: number | undefined;
    }
  | { readonly problem: string };

/**
 * Reads the input of a call of `execute_code` by the model.
 * @param input - An object, or its JSON text, as services of OpenAI's protocol return it.
 */
export function readCodeInput(input: unknown, languages: readonly Language[]): CodeInput {
  const fields = readFields(input);
  if (fields === undefined) return { problem: NOT_AN_OBJECT };
  const { code, language: name } = fields;
  if (typeof code !== 'string') return { problem: '`code` must be a string with the program.' };
  const size = readSize(fields);
  if ('problem' in size) return size;
  const language = name === undefined ? languages[0] : languages.find((one) => one.name === name);
  if (language !== undefined) return { language: language.name, code, ...size };
  const names = languages.map((one) => one.name).join(', ');
  return { problem: `\`language\` must be one of ${names}. Nothing was run.` };
}

/** The fields of the input of a call; undefined if it is not an object. */
export function readFields(input: unknown): Readonly<Record<string, unknown>> | undefined {
  const fields = typeof input === 'string' ? parseText(input) : input;
  return isRecord(fields) ? fields : undefined;
}

/** How much of the result a call wants. */
export function readSize({
  max_output_tokens: tokens,
}: Readonly<Record<string, unknown>>):
  | { readonly maxBytes: number | undefined }
  | { readonly problem: string } {
  if (tokens === undefined) return { maxBytes: undefined };
  if (Number.isInteger(tokens) && Number(tokens) > 0) {
    return { maxBytes: Number(tokens) * BYTES_OF_TOKEN };
  }
  return { problem: '`max_output_tokens` must be a whole number above 0. Nothing was run.' };
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

function descriptionOf(
  languages: readonly Language[],
  software: SandboxSoftware | undefined,
): string {
  const hasFiles = ({ name }: Language): boolean => software?.[name]?.files !== false;
  const textOf = (language: Language): string =>
    hasFiles(language)
      ? `${language.executeCodeDescription}\n${describeFiles(language)}`
      : language.executeCodeDescription;
  const [only] = languages;
  if (languages.length === 1 && only !== undefined) return textOf(only);
  const shared = languages.filter(hasFiles).length > 1 ? '; they share the files in /tmp' : '';
  return [
    `Runs a program and returns what it prints. Each language keeps its own variables${shared}.`,
    ...languages.map((language) => `## ${language.title}\n\n${textOf(language)}`),
  ].join('\n\n');
}

function describeFiles({ outputDirectory }: Language): string {
  return `- Files that you write into the directory \`${outputDirectory}\` go to the user. It is empty for each program; keep other files elsewhere in /tmp.`;
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
