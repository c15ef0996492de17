// The parts of `npm run test:fidelity`.

import { bash } from './bash.mjs';
import { python, pythonSource } from './python.mjs';
import { test262 } from './test262.mjs';
import { typescript } from './typescript.mjs';

/**
 * A suite, and how it is run.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} what - Its description in the help text.
 * @property {readonly string[]} languages - The languages that it tests in a sandbox, one after the other. None if it needs no sandbox.
 * @property {string} known - The name of its list of known differences.
 * @property {(sandbox: string, directory: string) => Promise<import('../suites.mjs').Found>} find
 * @property {(request: Request, place?: import('../places.mjs').Place, language?: string) => Promise<readonly import('../known.mjs').Outcome[]>} run
 */

/**
 * Which tests of a part are run.
 * @typedef {object} Request
 * @property {string} suite - The path of the suite, if it is not a package.
 * @property {(id: string) => boolean} isChosen - Whether the filter matches a test.
 */

/** @type {readonly Part[]} */
export const PARTS = [python, pythonSource, test262, typescript, bash];
