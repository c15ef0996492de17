import type { ProgramRefusal } from '../program-checker.ts';
import type { TypeProblem } from './check-messages.ts';

const MAX_SHOWN = 20;
const MAX_MESSAGE_LENGTH = 600;
const MAX_SOURCE_LENGTH = 200;

/** What the one who wrote the program is told: each problem with its line of the program. */
export function refusalOf(
  [first, ...others]: readonly TypeProblem[],
  code: string,
): ProgramRefusal | undefined {
  if (first === undefined) return undefined;
  const problems = [first, ...others];
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/);
  const shown = problems.slice(0, MAX_SHOWN).map((problem) => {
    const source = (lines[problem.line - 1] ?? '').trim();
    return `${oneLine(problem)}\n    ${bounded(source, MAX_SOURCE_LENGTH)}`;
  });
  const more = problems.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more`);
  const count = problems.length === 1 ? 'a type error' : `${problems.length} type errors`;
  return {
    type: 'TypeCheckError',
    message: oneLine(first),
    line: first.line,
    report: [`TypeCheckError: the program was not run, because of ${count}:`, ...shown].join('\n'),
  };
}

function oneLine({ line, column, code, message }: TypeProblem): string {
  return `program.ts:${line}:${column} error TS${code}: ${bounded(message, MAX_MESSAGE_LENGTH)}`;
}

function bounded(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
