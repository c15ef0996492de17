/** One run of a program, and how far it has come. */

import { PendingPromises, PromiseValue } from './pending-promises.mjs';

const { apply } = Reflect;
const then = Reflect.get(Promise.prototype, 'then');

export class Run {
  executionId;
  /** The program's text, and where its scripts have it, for the places of errors. */
  program;
  /** What the program wants to end with although its code runs still. */
  exitCode;
  /** Whether its statements are done. */
  hasEnded = false;
  /** Whether the program has been told that nothing is left to do. */
  isToldIdle = false;
  /** What its last statement came to. */
  value;
  #hasValue = false;
  #started = new PendingPromises();

  constructor({ execution_id: executionId, code }, filename) {
    this.executionId = executionId;
    this.program = {
      filename,
      code,
      columnOffset: 0,
      originalColumn: (line, column) => column,
    };
  }

  /** Takes what a statement came to, and gives what stands for it in the program's own code. */
  watch = (...values) => {
    this.#started.add(values);
    return PromiseValue.hold(values[values.length - 1]);
  };

  /** The statements are done. Their value may be a promise still; `fail` is called if it is rejected. */
  end(value, fail) {
    this.hasEnded = true;
    if (PromiseValue.isOne(value)) apply(then, value.promise, [(late) => this.#show(late), fail]);
    else this.#show(value);
  }

  #show(value) {
    this.#hasValue = true;
    this.value = value;
  }

  /** Whether its statements are done, and the promises that they came to are settled. */
  get isDone() {
    return this.#hasValue && !this.#started.isAny;
  }
}
