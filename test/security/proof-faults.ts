import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Proof } from './cases/security-case.ts';
import { gapIn, PLACES, readCorpusCase } from './corpus-case.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What is wrong with a proof: a test or a program that does not exist, or a reason that says nothing. */
export function faultsOf(proof: Proof): string[] {
  if ('test' in proof) {
    if (!existsSync(`${root}${proof.test}`)) return [`the file ${proof.test} does not exist`];
    const source = readFileSync(`${root}${proof.test}`, 'utf8');
    if (hasTest(source, proof.title)) return [];
    return [`${proof.test} has no test "${proof.title}" that is always run`];
  }
  if ('corpus' in proof) {
    const file = `test/security/corpus/${proof.corpus}.json`;
    if (!existsSync(`${root}${file}`)) return [`the file ${file} does not exist`];
    const program = readCorpusCase(proof.corpus);
    const runsSomewhere = PLACES.some((place) => gapIn(place, program) === undefined);
    return runsSomewhere ? [] : [`no sandbox runs ${file}: it has a gap for each`];
  }
  const reason = 'gap' in proof ? proof.gap : proof.open;
  return reason.length < 20 ? [`"${reason}" gives no reason`] : [];
}

/** What stands before the title of a test: `it(`, `test(`, the call that ends `it.each(…)(`, or `itNeeds(…, subject,`. */
const TEST_BEGINS = /(?:(?<![\w.])(?:it|test)\(\s*|\)\(\s*|(?<![\w.])itNeeds\([^()]*,\s*)$/;

/** Whether there is such a test, and not only a comment or another text with its title, or a test with `.skip` or `.todo`. */
function hasTest(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) =>
    source
      .split(quote + title + quote)
      .slice(0, -1)
      .some((before) => {
        const line = before.slice(before.lastIndexOf('\n') + 1).trimStart();
        return TEST_BEGINS.test(before) && !/^(?:\/\/|\*)/.test(line);
      }),
  );
}
