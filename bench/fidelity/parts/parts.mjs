// The parts that `npm run test:fidelity` has.

import { bash } from './bash.mjs';
import { python, pythonSource } from './python.mjs';
import { test262 } from './test262.mjs';

/**
 * A suite, and how it is run.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} what - For help.
 * @property {readonly string[]} languages - Those it tests in a sandbox, which each have results of their own.
 * @property {string} known - The name of its list of known differences.
 * @property {(sandbox: string, directory: string) => Promise<import('../suites.mjs').Found>} find
 * @property {(place: import('../places.mjs').Place, request: Request) => Promise<readonly import('../known.mjs').Outcome[]>} run
 */

/**
 * What of a part is run.
 * @typedef {object} Request
 * @property {string} language - One of the part's.
 * @property {string} suite - Where the suite is, if it is no package.
 * @property {(id: string) => boolean} isChosen - Whether the filter takes this test.
 */

/** @type {readonly Part[]} */
export const PARTS = [python, pythonSource, test262, bash];
