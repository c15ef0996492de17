/** How a run can end, as the supervisor is told. */

import { encode, OUTCOME } from './frames.mjs';

/**
 * @typedef {object} Outcome
 * @property {boolean} success
 * @property {string | null} [value] What is shown of the program's value.
 * @property {object | null} [error]
 * @property {number} [exit_code]
 */

/** What Node ends with if the program awaits a promise that nothing can settle any more. */
export const NEVER_SETTLED = 13;

/** @type {Outcome} */
export const INTERRUPTED = failure('Interrupted', 'the program was interrupted', 1);

/** What `process.exit` comes to. @returns {Outcome} */
export function exited(code) {
  if (code === 0) return { success: true };
  return failure('ProcessExit', `the program ended with status ${code}`, code);
}

/** The line for the supervisor. @param {Outcome} outcome */
export function outcomeLine(execution_id, { success, value = null, error = null, exit_code = 0 }) {
  return encode(OUTCOME, {
    // Else an object has the methods by which a program says how all are written.
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
