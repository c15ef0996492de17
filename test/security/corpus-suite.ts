import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBubblewrap } from '../support/bubblewrap.ts';
import { IN_ALL_COMBINATIONS } from '../support/scope.ts';
import { skippedFor } from '../support/skipped.ts';
import { CorpusBench, type Target } from './corpus-bench.ts';
import {
  type CorpusCase,
  corpusPaths,
  type Place,
  expectedIn,
  gapIn,
  readCorpusCase,
  sharesSession,
} from './corpus-case.ts';
import type { HostCost } from './host-watch.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** For the report: what a hostile program cost the process that ran it. */
    host?: HostCost;
  }
}

const corpus = corpusPaths().map((path) => readCorpusCase(path));

/** A part of the corpus that runs in a file of its own, so that the parts run side by side. */
export interface CorpusPart {
  readonly folders: readonly string[];
}

/** Runs hostile programs in one kind of sandbox, and after each of them looks whether all is well. */
export function describeCorpus(target: Target, { folders }: CorpusPart): void {
  const chosen = corpus.filter(
    (hostile) =>
      folders.includes(hostile.path.split('/')[0] ?? '') &&
      (IN_ALL_COMBINATIONS || !isDecidedElsewhere(target.place, hostile)),
  );
  const languages = [...new Set(chosen.map(({ language }) => language))];
  // Each in sandboxes that have no other.
  describe.each(languages)('in %s', (language) => {
    // Those that share a session first: another program ends it.
    const programs = chosen
      .filter((hostile) => hostile.language === language)
      .toSorted((one, other) => Number(sharesSession(other)) - Number(sharesSession(one)))
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
          await bench.expectHealth(hostile);
        });
      }
    });
  });
}

/** Whether the code that decides what comes of a program is tested in another place. */
function isDecidedElsewhere(place: Place, { decidedBy, language }: CorpusCase): boolean {
  // Docker has the same image. What a pod itself decides, programs in Python and bash try.
  const isScript = language === 'javascript' || language === 'typescript';
  if (place === 'kubernetes' && isScript) return true;
  if (decidedBy === undefined || !hasBubblewrap) return false;
  if (place === 'docker' || place === 'kubernetes') return true;
  return place === 'embedded' && decidedBy === 'host';
}
