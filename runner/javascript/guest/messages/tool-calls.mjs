/** Tools as async functions: a call is sent to the host as a frame and waits for the result. */

import { encodeArguments, isArgumentsObject } from './call-arguments.mjs';
import { encodeText, TOOL_CALL } from './frames.mjs';

const { stringify } = JSON;
const { apply, get } = Reflect;
const slice = get(String.prototype, 'slice');
const captureStackTrace = get(Error, 'captureStackTrace');
const errorToString = get(Error.prototype, 'toString');
const [add, has] = ['add', 'has'].map((name) => get(WeakSet.prototype, name));
const forEach = get(Map.prototype, 'forEach');
/** The reply to calls whose program has ended. */
const CANCELLED = {
  error: {
    type: 'Cancelled',
    message: 'the program that made this call ended before its result arrived; call the tool again',
  },
};

/**
 * A tool call failed: `type` is the kind of failure, `tool` the name of the tool. `message` has both
 * and the reason, as in the other languages.
 */
export class ToolError extends Error {
  constructor(type, tool, reason) {
    super(`${tool} failed (${type}): ${reason}`);
    this.name = 'ToolError';
    this.type = type;
    this.tool = tool;
  }
}

/**
 * Adds the stack of the call to an error without a stack, which is so if nothing awaits the call.
 */
function withCaller(error, call) {
  const isEmpty = error.stack === apply(errorToString, error, []);
  if (isEmpty && typeof call.stack === 'string') {
    error.stack += call.stack.slice(apply(errorToString, call, []).length);
  }
  return error;
}

/** The calls that wait for results, by id. */
export class ToolCalls {
  #send;
  #awaitLine;
  #waitTeller;
  #stacks;
  /** The program whose lines the host wants to know; undefined if it does not. */
  #linesOf;
  #pending = new Map();
  // The functions that answer calls of earlier programs that were not answered.
  #ofEarlierRuns = [];
  #errorsOfEarlierRuns = new WeakSet();
  #lastId = 0;
  #executionId;
  #maxBytes = 0;
  #maxValues = 0;

  /**
   * @param {object} platform
   * @param {(line: string) => void} platform.send - Sends a line to the supervisor.
   * @param {(isAwaited: boolean) => void} platform.awaitLine - Sets whether a line of the supervisor is
   * awaited.
   * @param {import('./wait-teller.mjs').WaitTeller} platform.waitTeller
   * @param {import('../errors/stacks.mjs').Stacks} stacks
   */
  constructor({ send, awaitLine, waitTeller }, stacks) {
    this.#send = send;
    this.#awaitLine = awaitLine;
    this.#waitTeller = waitTeller;
    this.#stacks = stacks;
  }

  /** Sets the limits of a call, which the host sends before the first program. */
  configure(settings) {
    this.#maxBytes = settings.call_limit_bytes;
    this.#maxValues = settings.call_limit_values;
  }

  /** Begins a program. Results for earlier programs are ignored from now on. */
  start({ executionId, tellsWaiting, tellsLines, program }) {
    this.#executionId = executionId;
    this.#linesOf = tellsLines ? program : undefined;
    this.#waitTeller.start(executionId, tellsWaiting);
    this.#awaitLine(false);
  }

  /** The number of calls that wait. */
  get count() {
    return this.#pending.size;
  }

  /** Ends the program: later calls wait for ever. @returns {number} how many calls were waiting. */
  end() {
    const { count } = this;
    const earlier = this.#ofEarlierRuns;
    apply(forEach, this.#pending, [(resolve) => (earlier[earlier.length] = resolve)]);
    this.#executionId = undefined;
    this.#waitTeller.end();
    this.#pending = new Map();
    this.#awaitLine(true);
    return count;
  }

  /** Passes a result to the call that waits for it. */
  deliver(reply) {
    const resolve = this.#pending.get(reply.call_id);
    this.#pending.delete(reply.call_id);
    if (this.#executionId !== undefined && this.count === 0) this.#awaitLine(false);
    this.#waitTeller.onResult(this.count);
    resolve?.(reply);
  }

  /** Whether there are calls of ended programs that are not settled. */
  get hasEarlier() {
    return this.#ofEarlierRuns.length > 0;
  }

  /**
   * Rejects the calls of ended programs. Until something waits for them they stay unsettled, so
   * that nothing continues.
   */
  rejectEarlier() {
    const earlier = this.#ofEarlierRuns;
    this.#ofEarlierRuns = [];
    for (let index = 0; index < earlier.length; index += 1) earlier[index](CANCELLED);
  }

  /** Whether an error belongs to a call of an ended program. */
  isOfEarlierRun(error) {
    return apply(has, this.#errorsOfEarlierRuns, [error]);
  }

  /** Returns the async function by which a program calls a tool. */
  makeFunction({ name, identifier }) {
    const calls = this;
    const method = identifier.slice(identifier.lastIndexOf('.') + 1);
    // A method, so that it has its name and is not a constructor. It throws the error itself, not
    // by a promise of the runner, so that the error's stack has the line that waits.
    const tool = {
      async [method](input = {}, ...others) {
        const call = {};
        captureStackTrace(call, tool[method]);
        const isObject = isArgumentsObject(input) && others.length === 0;
        const asked = isObject ? calls.#ask(name, input, tool[method]) : undefined;
        if (asked === undefined) {
          throw new TypeError(
            `${identifier}() takes one object with all its arguments: ${identifier}({ … })`,
          );
        }
        const reply = await asked;
        if (reply.error !== null) throw withCaller(calls.#failure(identifier, reply), call);
        return reply.result;
      },
    };
    return tool[method];
  }

  #failure(identifier, reply) {
    const { type, message } = reply.error;
    const failure = new ToolError(type, identifier, message);
    if (reply === CANCELLED) apply(add, this.#errorsOfEarlierRuns, [failure]);
    return failure;
  }

  /**
   * Asks the host to run a tool.
   * @returns its reply, or a promise of it; undefined if the JSON of the input is not an object.
   */
  #ask(name, input, callee) {
    // Before any code of the program, such as a getter of its arguments, which may call a tool too.
    this.#lastId += 1;
    const id = String(this.#lastId);
    let line;
    try {
      line = this.#encode({ id, name, input, line: this.#callerLine(callee) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { error: { type: 'InvalidArguments', message } };
    }
    if (line === undefined) return undefined;
    return new Promise((resolve) => {
      // The program has ended, so nothing would answer.
      if (this.#executionId === undefined) return;
      if (this.count === 0) this.#awaitLine(true);
      this.#pending.set(id, resolve);
      this.#send(line);
      this.#waitTeller.onCall(this.count);
    });
  }

  /** The line of the program that calls `callee`; undefined if it is not known or nobody wants to know it. */
  #callerLine(callee) {
    const program = this.#linesOf;
    try {
      return program && this.#stacks.callerLine(program, callee);
    } catch {
      // A program can change how stacks are made.
      return undefined;
    }
  }

  /**
   * @returns {string | undefined} the line of the call; undefined if the JSON of the input is not an
   * object.
   * @throws {TypeError} for arguments that the host would refuse, with what to do.
   */
  #encode({ id, name, input, line: callLine }) {
    const json = encodeArguments(input, this.#maxValues);
    if (json === undefined) return undefined;
    const ids = stringify({
      // Otherwise the object would inherit a `toJSON` that a program may have defined.
      __proto__: null,
      execution_id: this.#executionId,
      call_id: id,
      tool_name: name,
      line: callLine,
    });
    const line = encodeText(TOOL_CALL, `${apply(slice, ids, [0, -1])},"arguments":${json}}`);
    // It is ASCII, so each character is a byte.
    if (line.length > this.#maxBytes) {
      throw new TypeError(
        `the call takes ${line.length} bytes and may take ${this.#maxBytes}; send less at a time`,
      );
    }
    return line;
  }
}
