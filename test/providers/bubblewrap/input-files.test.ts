import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { itGivesFiles } from '../../orchestrator/files/sandbox-cases.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';

describeWithBubblewrap('files of a run in a bubblewrap sandbox', () => {
  itGivesFiles(() => bubblewrapProvider());
});
