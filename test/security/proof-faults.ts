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
    const begins = proof.test.startsWith('src/') ? CONTRACT_TEST_BEGINS : TEST_BEGINS;
    if (hasTest(source, proof.title, begins)) return [];
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

/** What stands before the title of a test: `it(`, `test(`, or the call that ends `it.each(…)(`. */
const TEST_BEGINS = /(?:(?<![\w.])(?:it|test)\(\s*|\)\(\s*)$/;

/** The same for contract tests: `test(`, `title:`, or a function that makes a test of one program. */
const CONTRACT_TEST_BEGINS = /(?<![\w.])(?:(?:test|prints|expects|refused)\(|title:)\s*$/;

/** Whether there is such a test, and not only a comment or another text with its title, or a test with `.skip` or `.todo`. */
function hasTest(source: string, title: string, begins: RegExp): boolean {
  return ["'", '"', '`'].some((quote) =>
    source
      .split(quote + title + quote)
      .slice(0, -1)
      .some((before) => {
        const line = before.slice(before.lastIndexOf('\n') + 1).trimStart();
        return begins.test(before) && !/^(?:\/\/|\*)/.test(line);
      }),
  );
}
