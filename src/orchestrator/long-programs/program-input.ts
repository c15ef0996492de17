import type { LanguageName } from '../../protocol/messages.ts';
import type { JsonObject } from '../../shared/json/json.ts';

/** The longest wait that a model can ask for, as long as the cache of a model's service lasts. */
const LONGEST_WAIT_MS = 300_000;

/** A call of `execute_code` about a program that was started by an earlier one. */
export interface ProgramInput {
  readonly program: string;
  /** @default `yieldAfterMs` */
  readonly waitMs: number | undefined;
  readonly stop: boolean;
}

export const PROGRAM_PROPERTIES: JsonObject = {
  program: {
    type: 'string',
    description: 'The id of a program that still runs, to go on with it. Leave out `code` then.',
  },
  wait_ms: {
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_WAIT_MS,
    description: 'With `program`: how long to wait for its end.',
  },
  stop: { type: 'boolean', description: 'With `program`: true stops it.' },
};

/** What the model is told of long programs. */
export function describeYield(yieldAfterMs: number, languages: readonly LanguageName[]): string {
  return `A program that still runs after ${yieldAfterMs / 1000} s goes on running. The result then has what it printed so far and the id of the program. Call execute_code with \`program\` set to the id to wait for it again: you get only what is new. With \`stop\` it ends. No other program can run meanwhile, and its time limit stays the same. Read its end before you finish your answer: it may be stopped then. If a program calls ${reportCalls(languages)}, you get the text and its output so far at once, and it goes on too.`;
}

function reportCalls(languages: readonly LanguageName[]): string {
  const inBash = '`report "text"`';
  if (!languages.includes('bash')) return '`report(text)`';
  return languages.length === 1 ? inBash : `\`report(text)\`, or in Bash ${inBash}`;
}

/**
 * Reads the fields of a call about a program.
 * @returns undefined if the call names none, and otherwise has `code`.
 */
export function readProgramInput(
  fields: Readonly<Record<string, unknown>>,
): ProgramInput | { readonly problem: string } | undefined {
  const { program, wait_ms: waitMs, stop = false, code } = fields;
  if (program === undefined) {
    const isAboutNone = waitMs !== undefined || fields['stop'] !== undefined;
    return isAboutNone ? { problem: NEEDS_PROGRAM } : undefined;
  }
  if (code !== undefined) return { problem: BOTH };
  if (typeof program !== 'string') {
    return { problem: '`program` must be a string with the id of a program. Nothing was done.' };
  }
  if (waitMs !== undefined && !isWait(waitMs)) {
    return {
      problem: `\`wait_ms\` must be a whole number from 0 to ${LONGEST_WAIT_MS}. Nothing was done.`,
    };
  }
  if (typeof stop !== 'boolean') {
    return { problem: '`stop` must be true or false. Nothing was done.' };
  }
  return { program, waitMs, stop };
}

const NEEDS_PROGRAM =
  '`wait_ms` and `stop` need `program`, the id of a program that still runs. Nothing was run.';

const BOTH =
  'Send either `code`, to run a new program, or `program`, to go on with one that still runs, and not both. Nothing was run.';

function isWait(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LONGEST_WAIT_MS;
}
