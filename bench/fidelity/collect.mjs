// Runs a part until it ends, fails or is cut off, and keeps what it has found until then.

/**
 * What a part has found.
 * @typedef {object} Collected
 * @property {readonly import('./known.mjs').Outcome[]} outcomes
 * @property {number} done - How many of its units were run.
 * @property {number | undefined} all - How many units it has, if it has begun.
 * @property {string | undefined} stopped - Why it did not run all of them.
 */

/**
 * Collects the outcomes of steps.
 * @param {AsyncGenerator<import('./parts/steps.mjs').Step>} steps
 * @param {{ signal: AbortSignal, onStep: (step: import('./parts/steps.mjs').Step) => void }} options -
 *   `signal` cuts the steps off. Its reason is a text.
 * @returns {Promise<Collected>} It never rejects, so that the outcomes are not lost.
 */
export async function collect(steps, { signal, onStep }) {
  const outcomes = [];
  let done = 0;
  let all;
  const cut = new Promise((resolve) => {
    const end = () => resolve({ stopped: signal.reason });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  const next = () =>
    steps.next().then(
      (result) => (result.done ? { stopped: undefined } : result.value),
      (error) => ({ stopped: `it failed: ${error.message}` }),
    );
  for (;;) {
    const step = await Promise.race([cut, next()]);
    if ('stopped' in step) return { outcomes, done, all, stopped: step.stopped };
    ({ done, all } = step);
    outcomes.push(...step.outcomes);
    onStep(step);
  }
}
