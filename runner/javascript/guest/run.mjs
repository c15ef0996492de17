/** One program that runs, and its progress. */

import { PendingPromises, PromiseValue } from './pending-promises.mjs';
import { whenSettled } from './settled.mjs';

const { apply } = Reflect;
const then = Reflect.get(Promise.prototype, 'then');

export class Run {
  executionId;
  /** Whether the host wants to know when it waits for tool calls. */
  tellsWaiting;
  /** Whether it wants to know which lines make calls. */
  tellsLines;
  /** Whether the host wants to know what it reports. */
  tellsReports;
  /** The program's text and its columns in the scripts, for the positions of errors. */
  program;
  /** The status with which the program wants to end while its code still runs. */
  exitCode;
  /** Whether its statements are done. */
  hasEnded = false;
  /** Whether the listeners for `beforeExit` were called. */
  isToldIdle = false;
  /** The value of its last statement. */
  value;
  #hasValue = false;
  #started = new PendingPromises();

  constructor(body, filename) {
    const { execution_id: executionId, code } = body;
    this.executionId = executionId;
    this.tellsWaiting = body.tell_waiting === true;
    this.tellsLines = body.tell_lines === true;
    this.tellsReports = body.tell_reports === true;
    this.program = {
      filename,
      code,
      columnOffset: 0,
      originalColumn: (line, column) => column,
    };
  }

  /** Records the value of a statement, and returns the value for the program's own code. */
  watch = (...values) => {
    this.#started.add(values);
    return PromiseValue.hold(values[values.length - 1]);
  };

  /**
   * Its statements run until a promise is settled.
   * @param {Promise<unknown>} statements
   * @param {object} calls
   * @param {() => void} calls.onEnd - Called when they are done. Their value may still be a promise.
   * @param {(error: unknown, promise?: Promise<unknown>) => boolean} calls.offer - Called with an error of theirs, or with that of
   * their value if that is a promise. Returns whether the program handles it; then they are done, without a value.
   */
  begin(statements, { onEnd, offer }) {
    const end = (value) => {
      this.hasEnded = true;
      if (PromiseValue.isOne(value)) {
        const { promise } = value;
        apply(then, promise, [(late) => this.#show(late), (error) => fail(error, promise)]);
      } else this.#show(value);
      onEnd();
    };
    const fail = (error, promise) => {
      if (offer(error, promise)) end(undefined);
    };
    whenSettled(statements, end, fail);
  }

  #show(value) {
    this.#hasValue = true;
    this.value = value;
  }

  /** Whether its statements are done, and their promises are settled. */
  get isDone() {
    return this.#hasValue && !this.#started.isAny;
  }
}
