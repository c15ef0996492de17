import { describe } from 'vitest';
import { embeddedProvider } from '../../../../src/providers/embedded/embedded-provider.ts';
import { type CorpusPart, describeCorpus } from '../../corpus-suite.ts';
import { listLiving, withLiving } from '../../list-living.ts';

/** Runs hostile programs in the embedded sandbox. */
export function describeEmbedded(part: CorpusPart): void {
  describe('hostile programs in the embedded sandbox', () => {
    describeCorpus(
      {
        place: 'embedded',
        pool: 0,
        create: () => withLiving(embeddedProvider()),
        listSandboxes: async ({ created }) => listLiving(created),
      },
      part,
    );
  });
}
