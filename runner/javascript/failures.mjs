/** What a program is told of its own error: type, message, and its own lines only. */

import { restoreBuiltIns } from './built-ins.mjs';

// Programs are named `<run 1>`, `<run 2>`, …; all else on the stack is not theirs.
const IS_FRAME = /^\s*(?:at |\.\.\. \d+ lines matching cause stack trace)/;
const IS_PROGRAM_FRAME = /<run \d+>:\d+:\d+|^\s*at async Promise\./;
const MAX_TEXT = 16_384;
// What Node puts ahead of what the engine says of a text that is no program: the line, and marks below it.
const ENGINE_EXCERPT = /^<run \d+>:(\d+)\n.*\n( *)\^/;

/**
 * A program that may fail.
 * @typedef {object} FailedProgram
 * @property {string} filename
 * @property {string} code
 * @property {number} columnOffset Of the first line of what it was made into.
 * @property {(line: number, column: number) => number} originalColumn
 */

/**
 * The error as the outcome frame has it.
 * @param {unknown} error - Whatever was thrown.
 * @param {FailedProgram} program
 * @param {object} tools
 * @param {(value: unknown) => string} tools.inspect
 * @param {import('./stacks.mjs').Stacks} tools.stacks
 */
export function describeFailure(error, program, tools) {
  restoreBuiltIns();
  try {
    return describe(error, program, tools);
  } catch {
    const message = '(the error cannot be shown: it fails when it is looked at)';
    return { type: 'Error', message, line: null, traceback: `Error: ${message}` };
  }
}

function describe(error, program, { inspect, stacks }) {
  const isError = error instanceof Error;
  // First: it makes the stack, and with that the message says what is wrong in terms of the program.
  const inspected = inspect(error);
  const message = shorten(isError && typeof error.message === 'string' ? error.message : inspected);
  // A program that is none: where it fails to be one has been found before it ran.
  const isUnparsed =
    error instanceof SyntaxError && Number.isSafeInteger(error.line) && error.line > 0;
  const text = isUnparsed ? `SyntaxError: ${message}` : inspected;
  const position = isUnparsed
    ? { line: error.line, column: error.column ?? 1 }
    : stacks.placeOf(error, program);
  const shown = isError ? onlyProgramFrames(text) : `Uncaught ${text}`;
  const traceback = [...excerpt(position, program), shown].join('\n');
  const type = isError ? nameOf(error) : 'Error';
  return { type, message, line: position?.line ?? null, traceback: shorten(traceback) };
}

function nameOf(error) {
  const { name } = error;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : 'Error';
}

/** A syntax error that only the engine found, with its place in the program's own text. */
export function withPosition(error, program, columnOffset) {
  if (!(error instanceof SyntaxError)) return error;
  const [, lineText, before] = ENGINE_EXCERPT.exec(error.stack) ?? [];
  if (lineText === undefined) return error;
  const line = Number(lineText);
  const column = before.length + 1 + (line === 1 ? columnOffset : 0);
  return Object.assign(error, { line, column: program.originalColumn(line, column) });
}

/** The line that failed, with a mark, as Node shows it. */
function excerpt(position, { filename, code }) {
  const source = position && lineOf(code, position.line);
  if (source === undefined) return [];
  const { line, column } = position;
  const mark = `${source.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}^`;
  return [`${filename}:${line}`, source.slice(0, 1000), ...(source.length > 1000 ? [] : [mark])];
}

/** A line of a text, its number from 1. */
export function lineOf(text, number) {
  return text.split(/\r\n|[\n\r\u2028\u2029]/)[number - 1];
}

/** Takes out the frames of the engine, here and in the errors behind this one. */
function onlyProgramFrames(text) {
  const kept = [];
  for (const line of text.split('\n')) {
    if (!IS_FRAME.test(line) || IS_PROGRAM_FRAME.test(line)) {
      kept.push(line);
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
