import type { ProgramRefusal } from '../program-checker.ts';
import type { CheckAnswer, TypeProblem } from './shared/check-messages.ts';

const MAX_SOURCE_LENGTH = 200;

/** The report for the author of the program: each problem with its line of the program. */
export function refusalOf(
  { problems, problemCount }: Pick<CheckAnswer, 'problems' | 'problemCount'>,
  code: string,
): ProgramRefusal | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/);
  const shown = problems.map((problem) => {
    const source = (lines[problem.line - 1] ?? '').trim();
    return `${oneLine(problem)}\n    ${bounded(source)}`;
  });
  const more = problemCount - problems.length;
  if (more > 0) shown.push(`… and ${more} more`);
  const count = problemCount === 1 ? 'a type error' : `${problemCount} type errors`;
  const problemsText = shown.join('\n');
  return {
    type: 'TypeCheckError',
    message: oneLine(first),
    line: first.line,
    report: `TypeCheckError: the program was not run, because of ${count}:\n${problemsText}`,
    advice: `Before the program ran, the type checker found ${count}:\n${problemsText}`,
  };
}

function oneLine({ line, column, code, message }: TypeProblem): string {
  return `program.ts:${line}:${column} error TS${code}: ${message}`;
}

function bounded(source: string): string {
  return source.length > MAX_SOURCE_LENGTH ? `${source.slice(0, MAX_SOURCE_LENGTH)}…` : source;
}
