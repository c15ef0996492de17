// Runs a part in one place, compares it with its lists, and prints what it finds at once.

import { collect } from './collect.mjs';
import { judge } from './known.mjs';
import { differenceLines, goneLines, progressLine, summaryLine } from './report.mjs';

/** How often a part says how far it has come. */
const PROGRESS_MS = 10_000;

/**
 * Runs a part. Each difference beyond the lists is printed when it is found, the summary at the end,
 * also if the part fails or is cut off.
 * @param {AsyncGenerator<import('./parts/steps.mjs').Step>} steps
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.place - The sandbox.
 * @param {string} options.unit - What the steps count.
 * @param {{ own: readonly import('./known.mjs').Known[], others: readonly import('./known.mjs').Known[] }} options.lists
 * @param {boolean} options.isFiltered - Whether only some tests are run.
 * @param {AbortSignal} options.signal - Cuts the part off.
 * @param {(line: string) => void} options.print
 * @returns {Promise<{ tests: number, unlisted: number, gone: number, stopped: string | undefined }>}
 *   The numbers of tests, of those that differ beyond the lists, and of lines listed in vain, and why
 *   the part stopped before its end.
 */
export async function runPart(steps, options) {
  const { title, place, unit, lists, isFiltered, signal, print } = options;
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  let latest = { done: 0, all: undefined };
  const timer = setInterval(() => {
    print(progressLine(title, latest, unit, seconds()));
  }, PROGRESS_MS);
  const onStep = (step) => {
    latest = step;
    const judgement = judge(place, step.outcomes, { ...lists, isWhole: false });
    for (const line of differenceLines(title, judgement)) print(line);
  };
  const collected = await collect(steps, { signal, onStep });
  clearInterval(timer);
  const isWhole = collected.stopped === undefined && !isFiltered;
  const judgement = judge(place, collected.outcomes, { ...lists, isWhole });
  for (const line of goneLines(title, judgement)) print(line);
  print(summaryLine(title, judgement, collected, seconds()));
  const { tests, unlisted, gone } = judgement;
  return { tests, unlisted, gone: gone.length, stopped: collected.stopped };
}
