/** The stacks of errors, as the program that looks at them would have them without a runner. */

import { lineOf } from './failures.mjs';
import { isConstant } from './global-names.mjs';

/** Of each error as many frames are taken up: those of the program stand among the runner's. */
const TAKEN_FRAMES = 60;
/** So many are shown, as Node does. */
const SHOWN_FRAMES = 10;
/** The texts of so many programs are kept for their columns, the latest. */
const MAX_PROGRAMS = 1000;

const READ_ONLY = /^Cannot assign to read only property '(.+)' of object '/;
const POSITION = /(<run \d+>):(\d+):(\d+)/g;
const IS_FRAME = /^\s+at /;
const IS_EVALUATED = /^eval\b.*\(eval at /;
// Between a program that waits and what it waits for.
const IS_QUEUE = /\(node:internal\/process\/task_queues:/;
const captureStackTrace = Reflect.get(Error, 'captureStackTrace');
const { apply } = Reflect;
const errorToString = Reflect.get(Error.prototype, 'toString');

export class Stacks {
  #programs = new Map();
  #places = new WeakMap();
  #own;
  #original;
  #prepare = (error, frames) => this.#stackOf(error, frames);

  constructor() {
    this.#own = new Set(['runner:gate', ownFile()]);
    this.#original = Reflect.get(Error, 'prepareStackTrace');
    Error.stackTraceLimit = TAKEN_FRAMES;
  }

  /** Has errors of a program show its own columns. @param {import('./failures.mjs').FailedProgram} program */
  add(program) {
    this.#programs.set(program.filename, program);
    if (this.#programs.size > MAX_PROGRAMS) {
      this.#programs.delete(this.#programs.keys().next().value);
    }
    // What a program has set stays.
    const prepareStackTrace = Reflect.get(Error, 'prepareStackTrace');
    if (prepareStackTrace === undefined || prepareStackTrace === this.#original) {
      Error.prepareStackTrace = this.#prepare;
    }
  }

  /** Where in a program an error came from: of the frames that it has on the stack, the innermost. */
  placeOf(error, { filename }) {
    const known = this.#places.get(error) ?? [];
    const places = known.length > 0 ? known : placesIn(framesOf(error));
    return places.find((place) => place.filename === filename);
  }

  #stackOf(error, frames) {
    try {
      const limit = Error.stackTraceLimit === TAKEN_FRAMES ? SHOWN_FRAMES : Infinity;
      const lines = withoutTwins(this.#ofProgram(frames).map((frame) => this.#lineOf(frame)));
      const places = placesIn(lines);
      this.#places.set(error, places);
      this.#correctMessage(error, places[0]);
      return [headerOf(error), ...lines.slice(0, limit).map((line) => `    at ${line}`)].join('\n');
    } catch {
      // A program may have patched what this needs.
      return headerOf(error);
    }
  }

  /** A constant is a property of the global object, and the engine says so: a program knows a variable. */
  #correctMessage(error, place) {
    const name = READ_ONLY.exec(error.message)?.[1];
    if (name === undefined || !(error instanceof TypeError) || !isConstant(name)) return;
    const line = lineOf(this.#programs.get(place.filename).code, place.line);
    if (isVariableAt(line, place.column - 1, name)) {
      error.message = 'Assignment to constant variable.';
    }
  }

  /** The frames without those of the runner, and of what is below it. */
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
    // In the embedded engine each of the runner's modules has an address of its own.
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
      // For who called `eval` the engine takes no heed of where the script says that its text begins.
      const offset = line === '1' && IS_EVALUATED.test(text) ? program.columnOffset : 0;
      return `${filename}:${line}:${program.originalColumn(Number(line), Number(column) + offset)}`;
    });
  }
}

/** Whether a variable is assigned to at `offset`, which is where its name begins or where the operator does. */
function isVariableAt(line, offset, name) {
  const before = line.slice(0, offset).trimEnd();
  const start = line.startsWith(name, offset) ? offset : before.length - name.length;
  return line.startsWith(name, start) && !/[\w$]$|\.\s*$/.test(line.slice(0, start));
}

/** Of code that is no program's, such as Node's own: what stands above the runner. */
function aboveRunner(frames, isOwn) {
  const first = frames.findIndex((frame) => !isOwn(frame));
  const above = first === -1 ? [] : frames.slice(first);
  const end = above.findIndex(isOwn);
  return (end === -1 ? above : above.slice(0, end)).filter(
    (frame) => !IS_QUEUE.test(frame.toString()),
  );
}

/** A static import is an expression inside another: its place would be there twice. */
function withoutTwins(lines) {
  return lines.filter((line, index) => !line.startsWith('<run ') || line !== lines[index - 1]);
}

/** The lines of a stack that somebody else has made, or changed. */
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

/** By this Node knows its own errors, whose code it shows. */
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

/** The file of the runner's code, as it is on stacks. */
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
