// The output of `npm run test:fidelity`.

import { escapeLine } from '../../dist/shared/control-characters.js';

/** Longer lines are cut off. */
const LINE_CHARACTERS = 160;

/** One line: what was run where, and how many tests had which result. */
export function summaryLine(title, { tests, same, listed, unlisted, gone }, seconds) {
  const counts = [`${tests} tests`, `${same} the same`, `${listed} listed`];
  counts.push(`${unlisted} beyond the list`, `${gone.length} listed in vain`);
  return `${title.padEnd(32)} ${counts.join(', ')} (${seconds.toFixed(0)} s)`;
}

/** The differences that are not in the list, and the lines whose difference is gone. */
export function details(title, { beyond, gone }) {
  return [
    ...beyond.flatMap(({ id, plain, sandbox }) => [
      `${title}: ${id}`,
      `  plain:   ${shorten(plain)}`,
      `  sandbox: ${shorten(sandbox)}`,
    ]),
    ...gone.map((line) => `${title}: no longer differs, take it off the list: ${line}`),
  ];
}

function shorten(text) {
  const line = escapeLine(text);
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line;
}
