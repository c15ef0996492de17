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
 * @property {readonly string[]} known - The names of its lists of known differences. All lines of the first must be needed.
 * @property {string} unit - What its steps count.
 * @property {Readonly<Record<string, number>>} minutes - How long it took in each sandbox when all its tests were last run, on 2 busy cores.
 * @property {(sandbox: string, directory: string) => Promise<import('../suites.mjs').Found>} find
 * @property {(request: Request, place?: import('../places.mjs').Place, language?: string) => AsyncGenerator<import('./steps.mjs').Step>} run - Runs the tests.
 */

/**
 * Which tests of a part are run.
 * @typedef {object} Request
 * @property {string} suite - The path of the suite, if it is not a package.
 * @property {(id: string) => boolean} isChosen - Whether the filter matches a test.
 */

/** @type {readonly Part[]} */
export const PARTS = [python, pythonSource, test262, typescript, bash];
