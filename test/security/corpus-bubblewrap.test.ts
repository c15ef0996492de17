import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { describeCorpus } from './corpus-suite.ts';
import { listLiving } from './list-living.ts';

describeWithBubblewrap('hostile programs in bubblewrap', () => {
  describeCorpus({
    place: 'bubblewrap',
    create: () => bubblewrapProvider(),
    listSandboxes: async ({ created }) => listLiving(created),
    keepsSpares: true,
  });
});
