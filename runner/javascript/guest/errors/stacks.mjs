/** The stacks of errors, as programs would have them without the runner. */

import { lineOf } from './failures.mjs';
import { isConstant } from '../names/global-names.mjs';

/**
 * The number of frames that are captured, because those of the program are among those of the
 * runner.
 */
const TAKEN_FRAMES = 60;
/** The number of frames that are shown, as in Node. */
const SHOWN_FRAMES = 10;
/** The number of programs whose texts are kept for their columns, the latest ones. */
const MAX_PROGRAMS = 1000;

const READ_ONLY = /^Cannot assign to read only property '(.+)' of object '/;
const POSITION = /(<run \d+>):(\d+):(\d+)/g;
const IS_FRAME = /^\s+at /;
const IS_EVALUATED = /^eval\b.*\(eval at /;
// Frames between a program that waits and what it waits for.
const IS_QUEUE = /\(node:internal\/process\/task_queues:/;
const captureStackTrace = Reflect.get(Error, 'captureStackTrace');
const { apply, get, set } = Reflect;
// Programs can replace the global one, but V8 reads `stackTraceLimit` of this one.
const OwnError = Error;
const { isSafeInteger } = Number;
const errorToString = Reflect.get(Error.prototype, 'toString');
// Found out when this is loaded, because V8 then reads the whole script for the places of its lines.
const OWN_FILE = ownFile();

export class Stacks {
  #programs = new Map();
  #places = new WeakMap();
  #own;
  #original;
  #prepare = (error, frames) => this.#stackOf(error, frames);
  /** The call whose line is looked for. */
  #call;
  /** The number of frames that a program wants, while another one is set. */
  #wanted;

  constructor() {
    this.#own = new Set(['runner:enter-program', OWN_FILE]);
    this.#original = Reflect.get(Error, 'prepareStackTrace');
    Error.stackTraceLimit = TAKEN_FRAMES;
  }

  /**
   * Makes errors of a program show its own columns. @param {import('./failures.mjs').FailedProgram}
   * program
   */
  add(program) {
    this.#returnLimit();
    this.#programs.set(program.filename, program);
    if (this.#programs.size > MAX_PROGRAMS) {
      this.#programs.delete(this.#programs.keys().next().value);
    }
    // A program may have set its own function, which stays.
    const prepareStackTrace = Reflect.get(Error, 'prepareStackTrace');
    if (prepareStackTrace === undefined || prepareStackTrace === this.#original) {
      Error.prepareStackTrace = this.#prepare;
    }
  }

  /** The position in a program at which an error was raised: that of its innermost frame. */
  placeOf(error, { filename }) {
    const known = this.#places.get(error) ?? [];
    const places = known.length > 0 ? known : placesIn(framesOf(error));
    return places.find((place) => place.filename === filename);
  }

  /** Whether a line of a stack is of the runner. It can be if the program makes its own stacks. */
  isOfRunner(line) {
    return line.includes(OWN_FILE);
  }

  /**
   * The line of a program that calls `callee`; undefined if it is not known. It is usually that of the
   * first frame, and to look at all of them takes longer than the call.
   */
  callerLine({ filename }, callee) {
    return (
      this.#findCaller(filename, callee, 1) ?? this.#findCaller(filename, callee, TAKEN_FRAMES)
    );
  }

  #findCaller(filename, callee, limit) {
    // A program that makes its own stacks must not make this one.
    if (get(OwnError, 'prepareStackTrace') !== this.#prepare) return undefined;
    const call = { filename, line: undefined };
    this.#wanted = { limit: get(OwnError, 'stackTraceLimit') };
    try {
      set(OwnError, 'stackTraceLimit', limit);
      captureStackTrace(call, callee);
    } finally {
      this.#returnLimit();
    }
    this.#call = call;
    // Makes V8 call `#prepare`.
    void call.stack;
    this.#call = undefined;
    return call.line;
  }

  /** Comes before each program too, because an interrupt may have ended the last one meanwhile. */
  #returnLimit() {
    if (this.#wanted === undefined) return;
    try {
      set(OwnError, 'stackTraceLimit', this.#wanted.limit);
    } finally {
      this.#wanted = undefined;
    }
  }

  #stackOf(error, frames) {
    if (error === this.#call) {
      error.line = lineIn(frames, error.filename);
      return '';
    }
    try {
      const limit = Error.stackTraceLimit === TAKEN_FRAMES ? SHOWN_FRAMES : Infinity;
      const lines = withoutRepetitions(this.#ofProgram(frames).map((frame) => this.#lineOf(frame)));
      const places = placesIn(lines);
      this.#places.set(error, places);
      this.#correctMessage(error, places[0]);
      return [headerOf(error), ...lines.slice(0, limit).map((line) => `    at ${line}`)].join('\n');
    } catch {
      // A program may have patched built-ins that this needs.
      return headerOf(error);
    }
  }

  /**
   * V8 reports the assignment to a constant as one to a property of the global object. For the
   * program it is a variable.
   */
  #correctMessage(error, place) {
    const name = READ_ONLY.exec(error.message)?.[1];
    if (name === undefined || !(error instanceof TypeError) || !isConstant(name)) return;
    const line = lineOf(this.#programs.get(place.filename).code, place.line);
    if (isVariableAt(line, place.column - 1, name)) {
      error.message = 'Assignment to constant variable.';
    }
  }

  /** Returns the frames without those of the runner and those below it. */
  #ofProgram(frames) {
    const waiting = frames.findIndex((frame) => frame.isAsync());
    const called = waiting === -1 ? frames : frames.slice(0, waiting);
    const callers = waiting === -1 ? [] : frames.slice(waiting);
    const outermost = called.findLastIndex((frame) => this.#isOfProgram(frame));
    const isOwn = (frame) => this.#isOwn(frame.getFileName() ?? '');
    return [
      ...(outermost === -1 ? aboveRunner(called, isOwn) : called.slice(0, outermost + 1)),
      ...callers,
    ].filter((frame) => !isOwn(frame));
  }

  #isOwn(filename) {
    // In the embedded sandbox, each of the runner's modules has its own URL.
    return this.#own.has(filename) || filename.startsWith('blob:');
  }

  #isOfProgram(frame) {
    return this.#programs.has(frame.getFileName() ?? frame.getScriptNameOrSourceURL());
  }

  #lineOf(frame) {
    const text = frame.toString();
    return text.replace(POSITION, (all, filename, line, column) => {
      const program = this.#programs.get(filename);
      if (program === undefined) return all;
      // For the caller of `eval`, V8 ignores the column offset of the script.
      const offset = line === '1' && IS_EVALUATED.test(text) ? program.columnOffset : 0;
      return `${filename}:${line}:${program.originalColumn(Number(line), Number(column) + offset)}`;
    });
  }
}

/**
 * Whether a variable is assigned at `offset`, which is the start of its name or of the operator.
 */
function isVariableAt(line, offset, name) {
  const before = line.slice(0, offset).trimEnd();
  const start = line.startsWith(name, offset) ? offset : before.length - name.length;
  return line.startsWith(name, start) && !/[\w$]$|\.\s*$/.test(line.slice(0, start));
}

/**
 * For code that does not belong to a program, such as Node's own: returns the frames above the
 * runner.
 */
function aboveRunner(frames, isOwn) {
  const first = frames.findIndex((frame) => !isOwn(frame));
  const above = first === -1 ? [] : frames.slice(first);
  const end = above.findIndex(isOwn);
  return (end === -1 ? above : above.slice(0, end)).filter(
    (frame) => !IS_QUEUE.test(frame.toString()),
  );
}

/** A static import is an expression inside another one, so its position would be shown twice. */
function withoutRepetitions(lines) {
  return lines.filter((line, index) => !line.startsWith('<run ') || line !== lines[index - 1]);
}

/** The line of the innermost frame of a program, which may have patched the methods of frames. */
function lineIn(frames, filename) {
  for (let index = 0; index < frames.length; index += 1) {
    if (frames[index].getFileName() !== filename) continue;
    const line = frames[index].getLineNumber();
    return isSafeInteger(line) ? line : undefined;
  }
  return undefined;
}

/** Returns the lines of a stack that was made or changed by other code. */
function framesOf(error) {
  const stack = error?.stack;
  return typeof stack === 'string' ? stack.split('\n').filter((line) => IS_FRAME.test(line)) : [];
}

function placesIn(lines) {
  return lines.flatMap((text) =>
    Array.from(text.matchAll(POSITION), ([, filename, line, column]) => ({
      filename,
      line: Number(line),
      column: Number(column),
    })),
  );
}

function headerOf(error) {
  try {
    if (IS_NODE_ERROR !== undefined && error[IS_NODE_ERROR]) {
      return `${error.name} [${error.code}]: ${error.message}`;
    }
    return apply(errorToString, error, []);
  } catch {
    return 'Error';
  }
}

/** The symbol by which Node marks its own errors, whose code is shown. */
const IS_NODE_ERROR = (() => {
  try {
    Buffer.alloc('');
  } catch (error) {
    for (let each = error; each !== null; each = Object.getPrototypeOf(each)) {
      const found = Object.getOwnPropertySymbols(each).find(
        ({ description }) => description === 'kIsNodeError',
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
})();

/** The file name of the runner's code on stacks. */
function ownFile() {
  const prepareStackTrace = Reflect.get(Error, 'prepareStackTrace');
  const holder = {};
  try {
    Error.prepareStackTrace = (_error, [frame]) => frame?.getFileName();
    captureStackTrace(holder);
    return holder.stack;
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}
