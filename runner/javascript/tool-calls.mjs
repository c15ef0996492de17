/** Tools as async functions: a call goes to the host as a frame and waits for the result. */

import { encodeArguments, isArgumentsObject } from './call-arguments.mjs';
import { encodeText, TOOL_CALL } from './frames.mjs';

const { stringify } = JSON;
const { apply, get } = Reflect;
const slice = get(String.prototype, 'slice');
const captureStackTrace = get(Error, 'captureStackTrace');
const errorToString = get(Error.prototype, 'toString');
const [add, has] = ['add', 'has'].map((name) => get(WeakSet.prototype, name));
const forEach = get(Map.prototype, 'forEach');
/** What is answered to calls whose run has ended. */
const CANCELLED = {
  error: {
    type: 'Cancelled',
    message: 'the run that made this call ended before its result came; call the tool again',
  },
};

/** A tool call failed. `type` says how, `tool` which, `message` why. */
export class ToolError extends Error {
  constructor(type, tool, message) {
    super(`${tool} failed (${type}): ${message}`);
    this.name = 'ToolError';
    this.type = type;
    this.tool = tool;
  }
}

/** Gives an error the stack of the call if it has none of its own, which is so if nothing waits for the call. */
function withCaller(error, call) {
  const isEmpty = error.stack === apply(errorToString, error, []);
  if (isEmpty && typeof call.stack === 'string') {
    error.stack += call.stack.slice(apply(errorToString, call, []).length);
  }
  return error;
}

/** Calls under way. Results find who waits for them by id. */
export class ToolCalls {
  #send;
  #awaitLine;
  #pending = new Map();
  // Of calls that earlier runs made and that were not answered: what answers them.
  #ofEarlierRuns = [];
  #errorsOfEarlierRuns = new WeakSet();
  #lastId = 0;
  #executionId;
  #maxBytes = 0;
  #maxValues = 0;

  /**
   * @param {(line: string) => void} send - Sends a line to the supervisor.
   * @param {(isAwaited: boolean) => void} awaitLine - Says whether a line of the supervisor's is waited for.
   */
  constructor(send, awaitLine) {
    this.#send = send;
    this.#awaitLine = awaitLine;
  }

  /** The host says how large a call may be, before the first program. */
  configure(settings) {
    this.#maxBytes = settings.call_limit_bytes;
    this.#maxValues = settings.call_limit_values;
  }

  /** Begins a run; what belongs to an earlier one no longer finds anybody. */
  start(executionId) {
    this.#executionId = executionId;
    this.#awaitLine(false);
  }

  /** How many calls are under way. */
  get count() {
    return this.#pending.size;
  }

  /** Ends the run: later calls wait for ever. @returns {number} how many calls were under way. */
  end() {
    const { count } = this;
    const earlier = this.#ofEarlierRuns;
    apply(forEach, this.#pending, [(resolve) => (earlier[earlier.length] = resolve)]);
    this.#executionId = undefined;
    this.#pending = new Map();
    this.#awaitLine(true);
    return count;
  }

  /** Hands a result to whoever waits for it. */
  deliver(reply) {
    const resolve = this.#pending.get(reply.call_id);
    this.#pending.delete(reply.call_id);
    if (this.#executionId !== undefined && this.count === 0) this.#awaitLine(false);
    resolve?.(reply);
  }

  /** How many calls of runs that have ended are not settled. */
  get countOfEarlierRuns() {
    return this.#ofEarlierRuns.length;
  }

  /** Rejects the calls of runs that have ended. While nothing waits for them they are not settled: nothing goes on. */
  rejectOfEarlierRuns() {
    const earlier = this.#ofEarlierRuns;
    this.#ofEarlierRuns = [];
    for (let index = 0; index < earlier.length; index += 1) earlier[index](CANCELLED);
  }

  /** Whether an error is that of a call which a run made that has ended. */
  isOfEarlierRun(error) {
    return apply(has, this.#errorsOfEarlierRuns, [error]);
  }

  /** The async function by which a program calls a tool. */
  makeFunction({ name, identifier }) {
    const calls = this;
    const method = identifier.slice(identifier.lastIndexOf('.') + 1);
    // A method, so that it has its name and is no constructor. It throws by itself, and not by a promise
    // of the runner's: then the error's stack has the line that waits.
    const tool = {
      async [method](input = {}, ...others) {
        const call = {};
        captureStackTrace(call, tool[method]);
        if (!isArgumentsObject(input) || others.length > 0) {
          throw new TypeError(
            `${identifier}() takes one object with all its arguments: ${identifier}({ … })`,
          );
        }
        const reply = await calls.#ask(name, input);
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

  /** Asks the host to run a tool. @returns a promise of its reply. */
  #ask(name, input) {
    // Before anything of the program's, such as a getter of its arguments, which may call a tool too.
    this.#lastId += 1;
    const id = String(this.#lastId);
    let line;
    try {
      line = this.#encode(id, name, input);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { error: { type: 'InvalidArguments', message } };
    }
    return new Promise((resolve) => {
      // Of a run that has ended: nobody would answer.
      if (this.#executionId === undefined) return;
      if (this.count === 0) this.#awaitLine(true);
      this.#pending.set(id, resolve);
      this.#send(line);
    });
  }

  /** @throws {TypeError} for arguments that the host would not take, with what to do. */
  #encode(id, name, input) {
    const json = encodeArguments(input, this.#maxValues);
    const ids = stringify({ execution_id: this.#executionId, call_id: id, tool_name: name });
    const line = encodeText(TOOL_CALL, `${apply(slice, ids, [0, -1])},"arguments":${json}}`);
    // It is ASCII: a byte a character.
    if (line.length > this.#maxBytes) {
      throw new TypeError(
        `the call takes ${line.length} bytes and may take ${this.#maxBytes}; send less at a time`,
      );
    }
    return line;
  }
}
