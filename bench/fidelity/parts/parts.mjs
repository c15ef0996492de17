// The parts that `npm run test:fidelity` has.

import { bash } from './bash.mjs';
import { python, pythonSource } from './python.mjs';
import { test262 } from './test262.mjs';
import { typescript } from './typescript.mjs';

/**
 * A suite, and how it is run.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} what - For help.
 * @property {readonly string[]} languages - Those that it tests in a sandbox, one after the other. None if it is about no sandbox.
 * @property {string} known - The name of its list of known differences.
 * @property {(sandbox: string, directory: string) => Promise<import('../suites.mjs').Found>} find
 * @property {(request: Request, place?: import('../places.mjs').Place, language?: string) => Promise<readonly import('../known.mjs').Outcome[]>} run
 */

/**
 * What of a part is run.
 * @typedef {object} Request
 * @property {string} suite - Where the suite is, if it is no package.
 * @property {(id: string) => boolean} isChosen - Whether the filter takes this test.
 */

/** @type {readonly Part[]} */
export const PARTS = [python, pythonSource, test262, typescript, bash];
