/** What a program is told of its own error: type, message, and its own lines only. */

// Programs are named `<run 1>`, `<run 2>`, …; all else on the stack is not theirs.
const POSITION = /(<run \d+>):(\d+):(\d+)/;
const IS_FRAME = /^\s*(?:at |\.\.\. \d+ lines matching cause stack trace)/;
const IS_PROGRAM_FRAME = /<run \d+>:\d+:\d+|^\s*at async Promise\./;
const MAX_TEXT = 16_384;

/**
 * The error as the outcome frame has it.
 * @param {unknown} error - Whatever was thrown.
 * @param {{ filename: string, code: string, originalColumn: (line: number, column: number) => number }} program
 * @param {(value: unknown) => string} inspect
 */
export function describeFailure(error, program, inspect) {
  try {
    return describe(error, program, inspect);
  } catch {
    const message = '(the error cannot be shown: it fails when it is looked at)';
    return { type: 'Error', message, line: null, traceback: `Error: ${message}` };
  }
}

function describe(error, program, inspect) {
  const isError = error instanceof Error;
  const message = shorten(
    isError && typeof error.message === 'string' ? error.message : inspect(error),
  );
  // A program that is none: where it fails to be one has been found before it ran.
  const isUnparsed = error instanceof SyntaxError && Number.isInteger(error.line);
  const text = isUnparsed ? `SyntaxError: ${message}` : inspect(error);
  const position = positionOf(error, text, program);
  const shown = isError ? onlyProgramFrames(text, program) : `Uncaught ${text}`;
  const traceback = [...excerpt(position, program), shown].join('\n');
  const type = isError ? nameOf(error) : 'Error';
  return { type, message, line: position?.line ?? null, traceback: shorten(traceback) };
}

function nameOf(error) {
  const { name } = error;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : 'Error';
}

/** Where in this program the error came from: of the frames that it has on the stack, the innermost. */
function positionOf(error, text, program) {
  if (error instanceof SyntaxError && Number.isInteger(error.line)) {
    return { line: error.line, column: error.column ?? 1 };
  }
  const start = text.indexOf(`${program.filename}:`);
  if (start === -1) return undefined;
  const [, line, column] = /:(\d+)(?::(\d+))?/.exec(text.slice(start)) ?? [];
  if (line === undefined) return undefined;
  // The engine's own syntax errors have a line and no column.
  if (column === undefined) return { line: Number(line), column: undefined };
  return { line: Number(line), column: program.originalColumn(Number(line), Number(column)) };
}

/** The line that failed, with a mark, as Node shows it. */
function excerpt(position, { filename, code }) {
  const source = position && code.split(/\r\n|[\n\r\u2028\u2029]/)[position.line - 1];
  if (source === undefined) return [];
  const { line, column } = position;
  const mark = column === undefined ? [] : [`${' '.repeat(Math.max(0, column - 1))}^`];
  return [`${filename}:${line}`, source.slice(0, 1000), ...(source.length > 1000 ? [] : mark)];
}

/** Takes out the frames of the runner and the engine, here and in the errors behind this one. */
function onlyProgramFrames(text, { filename, originalColumn }) {
  const kept = [];
  for (const line of text.split('\n')) {
    if (!IS_FRAME.test(line) || IS_PROGRAM_FRAME.test(line)) {
      kept.push(
        line.replace(POSITION, (all, file, row, column) => {
          if (file !== filename) return all;
          return `${file}:${row}:${originalColumn(Number(row), Number(column))}`;
        }),
      );
    } else if (line.endsWith(' {')) {
      // What is known of the error beyond its stack begins here.
      kept.push(`${kept.pop()} {`);
    }
  }
  return kept.join('\n');
}

/** `text` with its middle left out where it is long. */
export function shorten(text, limit = MAX_TEXT) {
  if (text.length <= limit) return text;
  const half = limit / 2;
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
