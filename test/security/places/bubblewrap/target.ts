import { bubblewrapProvider } from '../../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeWithBubblewrap, hasControlGroups } from '../../../support/bubblewrap.ts';
import { type CorpusPart, describeCorpus } from '../../corpus-suite.ts';
import { listLiving, withLiving } from '../../list-living.ts';

/** Runs hostile programs in bubblewrap. */
export function describeInBubblewrap(part: CorpusPart): void {
  describeWithBubblewrap('hostile programs in bubblewrap', () => {
    describeCorpus(
      {
        place: 'bubblewrap',
        expectedAs: hasControlGroups ? 'bubblewrap' : 'watched',
        pool: 1,
        create: () => withLiving(bubblewrapProvider()),
        listSandboxes: async ({ created }) => listLiving(created),
        keepsSpares: true,
      },
      part,
    );
  });
}
