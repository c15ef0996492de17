/** The outcomes of programs, as they are reported to the supervisor. */

import { encode, OUTCOME } from './messages/frames.mjs';

/**
 * @typedef {object} Outcome
 * @property {boolean} success
 * @property {string | null} [value] The text that shows the program's value.
 * @property {object | null} [error]
 * @property {number} [exit_code]
 */

/** The exit status of Node if the program awaits a promise that nothing can settle. */
export const NEVER_SETTLED = 13;

/** The warning of a program that awaits such a promise, or whose value is one. */
export const NEVER_SETTLED_WARNING =
  'Warning: the program ended while it waited for a promise that nothing was left to settle\n';

/** @type {Outcome} */
export const INTERRUPTED = failure('Interrupted', 'the program was interrupted', 1);

/** The outcome of `process.exit`. @returns {Outcome} */
export function exited(code) {
  if (code === 0) return { success: true };
  return failure('ProcessExit', `the program ended with status ${code}`, code);
}

/** Returns the line for the supervisor. @param {Outcome} outcome */
export function outcomeLine(execution_id, { success, value = null, error = null, exit_code = 0 }) {
  return encode(OUTCOME, {
    // Otherwise the object would inherit a `toJSON` that a program may have defined.
    __proto__: null,
    execution_id,
    success,
    value,
    error: error && { __proto__: null, ...error },
    exit_code,
  });
}

function failure(type, message, exit_code) {
  const traceback = `${type}: ${message}`;
  return { success: false, error: { type, message, line: null, traceback }, exit_code };
}

/**
 * The warning of a program that was stopped after its statements: what it still waited for. Empty if that
 * was nothing.
 * @param {{ left: string[], calls: number }} ended - Names of what was left, and the number of tool calls.
 */
export function waitedFor({ left, calls }) {
  const toolCalls = calls === 1 ? 'a tool call' : `${calls} tool calls`;
  const all = calls > 0 ? [...left, toolCalls] : left;
  if (all.length === 0) return '';
  return `Warning: the statements of the program were done, and it still waited for: ${all.join(', ')}\n`;
}
