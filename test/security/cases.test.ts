import { describe, expect, it } from 'vitest';
import { PLANNED_CASES, SECURITY_CASES } from './cases.ts';
import { corpusPaths, ENDINGS, readCorpusCase } from './corpus-case.ts';
import { faultsOf } from './proof-faults.ts';

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

  it('takes no title for a proof that is not the title of a test', () => {
    const proof = { test: 'test/security/cases.test.ts', title: 'the index of security cases' };
    expect(faultsOf(proof)).toHaveLength(1);
    expect(
      faultsOf({ ...proof, title: 'has each planned case once, and further ones after them' }),
    ).toEqual([]);
  });

  it.each(SECURITY_CASES)('says what proves case $case: $title', ({ proofs }) => {
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs.flatMap((proof) => faultsOf(proof))).toEqual([]);
  });
});
