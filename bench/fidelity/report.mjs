// The output of `npm run test:fidelity`.

import { escapeLine } from '../../dist/shared/control-characters.js';

/** Longer lines are cut off. */
const LINE_CHARACTERS = 160;

/** What will be run, and how long it took when it was last measured. */
export function planLine(title, { minutes }, name) {
  const time = minutes[name] === undefined ? 'not measured yet' : `about ${minutes[name]} minutes`;
  return `${title.padEnd(32)} ${time}`;
}

/** How far a part has come. */
export function progressLine(title, { done, all }, unit, seconds) {
  const count = all === undefined ? 'starting' : `${done} of ${all} ${unit}`;
  return `${title.padEnd(32)} ${count}, ${seconds.toFixed(0)} s`;
}

/** What a part found: how many tests had which result, and whether that is all of them. */
export function summaryLine(title, { tests, same, listed, unlisted, gone }, collected, seconds) {
  const counts = [`${tests} tests`, `${same} the same`, `${listed} listed`];
  counts.push(`${unlisted} beyond the list`, `${gone.length} listed in vain`);
  const { stopped, done, all = 0 } = collected;
  const end = stopped === undefined ? '' : `; stopped after ${done} of ${all}: ${stopped}`;
  return `${title.padEnd(32)} ${counts.join(', ')} (${seconds.toFixed(0)} s)${end}`;
}

/** Differences that are not in the list. */
export function differenceLines(title, { beyond }) {
  return beyond.flatMap(({ id, plain, sandbox }) => [
    `${title}: ${id}`,
    `  plain:   ${shorten(plain)}`,
    `  sandbox: ${shorten(sandbox)}`,
  ]);
}

/** Lines of the list whose difference is gone. */
export function goneLines(title, { gone }) {
  return gone.map((line) => `${title}: no longer differs, take it off the list: ${line}`);
}

function shorten(text) {
  const line = escapeLine(text);
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line;
}
