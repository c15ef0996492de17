/** Describes the error of a program: its type, its message, and only the program's own lines. */

import { restoreBuiltIns } from '../built-ins.mjs';
import { advice } from './slips.mjs';

// Programs are named `<run 1>`, `<run 2>`, and so on. Files on the stack are modules that programs
// wrote, or those of a library.
const IS_FRAME = /^\s*(?:at |\.\.\. \d+ lines matching cause stack trace)/;
const IS_PROGRAM_FRAME = /<run \d+>:\d+:\d+|^\s*at async Promise\./;
const IS_FILE_FRAME = /[ (](?:file:\/\/)?\/.*:\d+:\d+/;
const LIBRARIES = '/node_modules/';
const MAX_TEXT = 16_384;
// For a syntax error, Node puts the line and a mark below it before the message.
const ENGINE_EXCERPT = /^<run \d+>:(\d+)\n.*\n( *)\^/;

/**
 * A program that may fail.
 * @typedef {object} FailedProgram
 * @property {string} filename
 * @property {string} code
 * @property {number} columnOffset The offset of the first line in the script that was made of the
 * program.
 * @property {(line: number, column: number) => number} originalColumn
 */

/**
 * Describes the error in the form of the outcome frame.
 * @param {unknown} error - The value that was thrown.
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
  // First, because it creates the stack, and with it corrects the message.
  const inspected = inspect(error);
  const message = shorten(isError && typeof error.message === 'string' ? error.message : inspected);
  // A program with a syntax error; its position was found before it ran.
  const isUnparsed =
    error instanceof SyntaxError && Number.isSafeInteger(error.line) && error.line > 0;
  const text = isUnparsed ? `SyntaxError: ${message}` : inspected;
  const position = isUnparsed
    ? { line: error.line, column: error.column ?? 1 }
    : stacks.placeOf(error, program);
  const hint = isError && !isUnparsed ? adviceOn(error) : '';
  // Node lists after the first line which modules need the missing one.
  const explained = hint === '' ? message : message.replace(/$/m, () => `: ${hint}`);
  const shown = isError ? onlyProgramFrames(text, stacks) : `Uncaught ${text}`;
  const told = hint === '' ? shown : shown.replace(message, () => explained);
  const traceback = [...excerpt(position, program), told].join('\n');
  const type = isError ? nameOf(error) : 'Error';
  const line = position?.line ?? null;
  return { type, message: explained, line, traceback: shorten(traceback) };
}

function adviceOn(error) {
  try {
    return advice(error);
  } catch {
    return '';
  }
}

function nameOf(error) {
  const { name } = error;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : 'Error';
}

/** Adds the position in the program's own text to a syntax error that only V8 found. */
export function withPosition(error, program, columnOffset) {
  if (!(error instanceof SyntaxError)) return error;
  const [, lineText, before] = ENGINE_EXCERPT.exec(error.stack) ?? [];
  if (lineText === undefined) return error;
  const line = Number(lineText);
  const column = before.length + 1 + (line === 1 ? columnOffset : 0);
  return Object.assign(error, { line, column: program.originalColumn(line, column) });
}

/** Returns the line that failed, with a mark, as Node shows it. */
function excerpt(position, { filename, code }) {
  const source = position && lineOf(code, position.line);
  if (source === undefined) return [];
  const { line, column } = position;
  const mark = `${source.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}^`;
  return [`${filename}:${line}`, source.slice(0, 1000), ...(source.length > 1000 ? [] : [mark])];
}

/** Returns a line of a text. Numbers begin at 1. */
export function lineOf(text, number) {
  return text.split(/\r\n|[\n\r\u2028\u2029]/)[number - 1];
}

/** Removes the frames of Node, of libraries and of the runner, from this error and from its causes. */
function onlyProgramFrames(text, stacks) {
  const kept = [];
  for (const line of text.split('\n')) {
    if (!IS_FRAME.test(line) || isOfProgram(line, stacks)) {
      kept.push(line);
    } else if (line.endsWith(' {')) {
      // The properties of the error follow its stack from here on.
      kept.push(`${kept.pop()} {`);
    }
  }
  return kept.join('\n');
}

function isOfProgram(line, stacks) {
  if (IS_PROGRAM_FRAME.test(line)) return true;
  return IS_FILE_FRAME.test(line) && !line.includes(LIBRARIES) && !stacks.isOfRunner(line);
}

/** Returns `text`. If it is too long, its middle is left out. */
export function shorten(text, limit = MAX_TEXT) {
  if (text.length <= limit) return text;
  const half = limit / 2;
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}
