// The lists of known differences, and their comparison with results.

import { readFileSync } from 'node:fs';

/**
 * An intended difference.
 * @typedef {object} Known
 * @property {string} line - The line of the list.
 * @property {readonly string[]} places - The sandboxes that have the difference.
 * @property {RegExp} id - Matches the ids of the tests.
 * @property {boolean} isExact - Whether it names one test.
 * @property {RegExp} end - Matches how the tests end in the sandbox.
 */

/**
 * How one test ended in the plain interpreter and in the sandbox. The two texts are the same if
 * there is no difference. A test may have several outcomes that differ.
 * @typedef {object} Outcome
 * @property {string} id
 * @property {string} plain
 * @property {string} sandbox
 */

/** Reads a list. */
export function readKnown(name) {
  return parseKnown(readList(name));
}

/** Reads a list whose lines begin with a name. */
export function readNames(name) {
  return linesOf(readList(name)).map((line) => line.split(' ')[0]);
}

/**
 * Parses a list. Each line contains the sandboxes, a test's id, how it ends in the sandbox, and the
 * reason. In the second and the third, `*` matches any text. Empty lines and lines that begin with
 * `#` are ignored.
 * @returns {readonly Known[]}
 * @throws Error that names a line without a reason, or one that covers whatever happens.
 */
export function parseKnown(text) {
  return linesOf(text).map((line) => {
    const [places, id, end, reason] = line.split(' | ').map((column) => column.trim());
    if (!reason) {
      throw new Error(`A known difference is "SANDBOXES | TEST | END | REASON", not "${line}".`);
    }
    if (/^[* ]*$/.test(end)) {
      throw new Error(`A known difference must say how the test ends, which "${line}" does not.`);
    }
    const isExact = !id.includes('*');
    return { line, places: places.split(', '), id: matcher(id), isExact, end: matcher(end) };
  });
}

/**
 * Compares the results of tests in one sandbox with the list.
 * @param {string} place - The sandbox.
 * @param {readonly Outcome[]} outcomes
 * @param {{ own: readonly Known[], others?: readonly Known[], isWhole: boolean }} lists - `own`
 *   is the list of the part. `others` are lines that another part needs, so that they may cover
 *   nothing here. `isWhole` is whether all tests of the part ran.
 */
export function judge(place, outcomes, { own, others = [], isWhole }) {
  const here = [...own, ...others].filter(({ places }) => places.includes(place));
  const differing = outcomes.filter(({ plain, sandbox }) => plain !== sandbox);
  const beyond = differing.filter((outcome) => !here.some((entry) => covers(entry, outcome)));
  const count = (some) => new Set(some.map(({ id }) => id)).size;
  return {
    tests: count(outcomes),
    /**
     * The numbers of tests without a difference, with only listed differences, and with other ones.
     */
    same: count(outcomes) - count(differing),
    listed: count(differing) - count(beyond),
    unlisted: count(beyond),
    /** Differences that are not in the list. */
    beyond,
    /**
     * Lines of the list whose tests ran without a difference. If not all tests ran, only a line that
     * names one test can be judged.
     */
    gone: own
      .filter(({ places, isExact }) => places.includes(place) && (isWhole || isExact))
      .filter((entry) => outcomes.some(({ id }) => entry.id.test(id)))
      .filter((entry) => !differing.some((outcome) => covers(entry, outcome)))
      .map(({ line }) => line),
  };
}

function covers(entry, { id, sandbox }) {
  return entry.id.test(id) && entry.end.test(sandbox);
}

function matcher(pattern) {
  const parts = pattern
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

function readList(name) {
  return readFileSync(new URL(`known/${name}.txt`, import.meta.url), 'utf8');
}

function linesOf(text) {
  return text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
