import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PLANNED_CASES, SECURITY_CASES } from './cases.ts';
import type { Proof } from './cases/security-case.ts';
import { corpusPaths, ENDINGS, readCorpusCase } from './corpus-case.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the index of security cases', () => {
  it('has each planned case once, and further ones after them', () => {
    const numbers = SECURITY_CASES.map((entry) => entry.case).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(numbers.length).toBeGreaterThanOrEqual(PLANNED_CASES);
  });

  it('names each program of the corpus, once, under the number that it bears itself', () => {
    const named = SECURITY_CASES.flatMap((entry) =>
      entry.proofs.flatMap((proof) =>
        'corpus' in proof ? [`${proof.corpus}: ${entry.case}`] : [],
      ),
    );
    const there = corpusPaths().map((path) => `${path}: ${readCorpusCase(path).case}`);
    expect(named.sort()).toEqual(there.sort());
    const written = Object.values(ENDINGS).flatMap((ending) => corpusPaths(ending));
    expect(written.sort()).toEqual(corpusPaths());
  });

  it.each(SECURITY_CASES)('says what proves case $case: $title', ({ proofs }) => {
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs.flatMap((proof) => faultsOf(proof))).toEqual([]);
  });
});

/** What is wrong with a proof: a test that is not there, or a reason that says nothing. */
function faultsOf(proof: Proof): string[] {
  if ('test' in proof) {
    const source = readFileSync(`${root}${proof.test}`, 'utf8');
    const found = ["'", '"', '`'].some((quote) => source.includes(quote + proof.title + quote));
    return found ? [] : [`${proof.test} has no test "${proof.title}"`];
  }
  if ('corpus' in proof) return [];
  const reason = 'gap' in proof ? proof.gap : proof.open;
  return reason.length < 20 ? [`"${reason}" gives no reason`] : [];
}
