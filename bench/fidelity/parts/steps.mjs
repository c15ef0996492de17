// Runs the tests of a part in steps, whose outcomes are known before the whole part has ended.

/**
 * What a part has done since the last step.
 * @typedef {object} Step
 * @property {number} done - How many of the part's units, such as scripts, are done.
 * @property {number} all - How many units the part has.
 * @property {readonly import('../known.mjs').Outcome[]} outcomes - How the tests ended that were run since the last step.
 */

/**
 * Runs units one after the other.
 * @template T
 * @param {readonly T[]} units
 * @param {(unit: T) => Promise<readonly import('../known.mjs').Outcome[]>} run
 * @returns {AsyncGenerator<Step>}
 */
export async function* inSteps(units, run) {
  yield { done: 0, all: units.length, outcomes: [] };
  for (const [index, unit] of units.entries()) {
    yield { done: index + 1, all: units.length, outcomes: await run(unit) };
  }
}
