import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gapIn, readCorpusCase, type Place } from './corpus-case.ts';
import { SECURITY_PROMISES } from './promises.ts';
import { sentencesOf } from './promises/read-sentences.ts';
import type { PromiseProof } from './promises/security-promise.ts';
import { faultsOf } from './proof-faults.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sentences = sentencesOf(readFileSync(`${root}SECURITY.md`, 'utf8'));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

function sentencesWith(part: string): string[] {
  return sentences.filter((sentence) => sentence.includes(part));
}

describe('the index of the sentences of SECURITY.md', () => {
  it('reads sentences of paragraphs, lists and tables, and nothing of headings and code', () => {
    const text = [
      '# Title. Of it',
      'One `a.ts`. Two is\nlong (`b`). [Three](x) ends:',
      '- four;\n- five. Six.',
      '```sh\nNot. This.\n```',
      '**A title.** Seven.',
      '|  | Head |\n| --- | --- |\n| Row | eight |\n| Row | nine |',
    ].join('\n\n');
    const expected = ['One `a.ts`.', 'Two is long (`b`).', '[Three](x) ends:', 'four;', 'five.'];
    expect(sentencesOf(text)).toEqual([
      ...expected,
      'Six.',
      'Seven.',
      '| Row | eight |',
      '| Row | nine |',
    ]);
  });

  it('has each sentence once', () => {
    expect(sentences.length).toBeGreaterThan(100);
    const wrong = sentences.flatMap((sentence) => {
      const entries = SECURITY_PROMISES.filter((entry) => sentence.includes(entry.sentence));
      return entries.length === 1 ? [] : [{ sentence, entries: entries.length }];
    });
    expect(wrong).toEqual([]);
  });

  it('has no entry without a sentence of its own', () => {
    const wrong = SECURITY_PROMISES.map((entry) => entry.sentence).filter(
      (part) => sentencesWith(part).length !== 1,
    );
    expect(wrong).toEqual([]);
  });

  it.each(SECURITY_PROMISES)('says what shows: $sentence', ({ sentence, places = [], proofs }) => {
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs.flatMap((proof) => faultsOfPromise(proof, sentence))).toEqual([]);
    const uncovered = places.filter((place) => !proofs.some((proof) => runsIn(place, proof)));
    expect(uncovered).toEqual([]);
  });
});

/** What is wrong with a proof of the sentence that has this part. */
function faultsOfPromise(proof: PromiseProof, part: string): string[] {
  if ('test' in proof || 'corpus' in proof) return faultsOf(proof);
  if ('script' in proof && !(proof.script in scripts)) {
    return [`package.json has no script ${proof.script}`];
  }
  if ('design' in proof && !sentencesWith(part).every((text) => /by design|no test/i.test(text))) {
    return ['the sentence does not say that it states a decision'];
  }
  const reason = 'script' in proof ? proof.why : 'design' in proof ? proof.design : proof.note;
  return reason.length < 20 ? [`"${reason}" gives no reason`] : [];
}

/** Whether a proof runs in this kind of sandbox. The contract tests run in all. */
function runsIn(place: Place, proof: PromiseProof): boolean {
  if ('corpus' in proof) return gapIn(place, readCorpusCase(proof.corpus)) === undefined;
  if (!('test' in proof)) return false;
  const folder = `providers/${place === 'watched' ? 'bubblewrap' : place}/`;
  return proof.test.includes(folder) || proof.test.startsWith('src/testing/groups/');
}
