import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CorpusBench, type Target } from './corpus-bench.ts';
import { corpusPaths, expectedIn, readCorpusCase } from './corpus-case.ts';

const corpus = corpusPaths().map((path) => readCorpusCase(path));
const languages = [...new Set(corpus.map(({ language }) => language))];

/** Runs every hostile program in one kind of sandbox, and after each of them looks whether all is well. */
export function describeCorpus(target: Target): void {
  // Each in sandboxes that have no other.
  describe.each(languages)('in %s', (language) => {
    const programs = corpus
      .filter((hostile) => hostile.language === language)
      .map((hostile) => ({
        hostile: expectedIn(target.place, hostile),
        gap: hostile.gaps?.[target.place],
      }));
    describe.skipIf(programs.every(({ gap }) => gap !== undefined))(target.place, () => {
      let bench: CorpusBench;
      beforeAll(async () => {
        bench = new CorpusBench(target, language);
        await bench.start();
      });
      afterAll(async () => bench.close());

      for (const { hostile, gap } of programs) {
        const note = gap === undefined ? '' : ` [gap: ${gap}]`;
        it(`${hostile.path}: ${hostile.title}${note}`, async (context) => {
          // Its reason stands in the title, and the reporter prints it.
          context.skip(gap !== undefined, gap);
          expect.hasAssertions();
          await bench.attack(hostile);
          await bench.expectHealth();
        });
      }
    });
  });
}
