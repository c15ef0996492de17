import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import {
  describeWithBubblewrap,
  hasControlGroups,
  watchedProvider,
} from '../support/bubblewrap.ts';
import { describeCorpus } from './corpus-suite.ts';
import { listLiving, withLiving } from './list-living.ts';

describeWithBubblewrap('hostile programs in bubblewrap', () => {
  describeCorpus({
    place: 'bubblewrap',
    expectedAs: hasControlGroups ? 'bubblewrap' : 'watched',
    create: () => withLiving(bubblewrapProvider()),
    listSandboxes: async ({ created }) => listLiving(created),
    keepsSpares: true,
  });
});

describeWithBubblewrap('hostile programs in bubblewrap without control groups', () => {
  describeCorpus(
    {
      place: 'watched',
      create: () => withLiving(watchedProvider()),
      listSandboxes: async ({ created }) => listLiving(created),
      keepsSpares: true,
    },
    // What control groups limit. The rest of the isolation is the same.
    'resources/',
  );
});
