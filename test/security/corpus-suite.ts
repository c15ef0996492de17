import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { skippedFor } from '../support/skipped.ts';
import { CorpusBench, type Target } from './corpus-bench.ts';
import { corpusPaths, expectedIn, gapIn, readCorpusCase } from './corpus-case.ts';
import type { HostCost } from './host-watch.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** For the report: what a hostile program cost the process that ran it. */
    host?: HostCost;
  }
}

const corpus = corpusPaths().map((path) => readCorpusCase(path));

/**
 * Runs hostile programs in one kind of sandbox, and after each of them looks whether all is well.
 * @param folder - Those of one folder of the corpus only. @default all
 */
export function describeCorpus(target: Target, folder = ''): void {
  const chosen = corpus.filter(({ path }) => path.startsWith(folder));
  const languages = [...new Set(chosen.map(({ language }) => language))];
  // Each in sandboxes that have no other.
  describe.each(languages)('in %s', (language) => {
    const programs = chosen
      .filter((hostile) => hostile.language === language)
      .map((hostile) => ({
        hostile: expectedIn(target.expectedAs ?? target.place, hostile),
        gap: gapIn(target.place, hostile),
      }));
    // Without a program to run, nothing is started.
    describe(target.place, () => {
      let bench: CorpusBench;
      beforeAll(async () => {
        bench = await CorpusBench.start(target, language);
      });
      afterAll(async () => bench.close());

      for (const { hostile, gap } of programs) {
        const note = gap === undefined ? '' : ` [gap: ${gap}]`;
        it(`${hostile.path}: ${hostile.title}${note}`, skippedFor(gap), async (context) => {
          expect.hasAssertions();
          context.task.meta.host = await bench.attack(hostile);
          await bench.expectHealth();
        });
      }
    });
  });
}
