import { describeWithBubblewrap, watchedProvider } from '../../../support/bubblewrap.ts';
import { describeCorpus } from '../../corpus-suite.ts';
import { listLiving, withLiving } from '../../list-living.ts';

describeWithBubblewrap('hostile programs in bubblewrap without control groups', () => {
  describeCorpus(
    {
      place: 'watched',
      pool: 1,
      create: () => withLiving(watchedProvider()),
      listSandboxes: async ({ created }) => listLiving(created),
      keepsSpares: true,
    },
    // What control groups limit. Nothing else differs.
    { folders: ['resources'] },
  );
});
