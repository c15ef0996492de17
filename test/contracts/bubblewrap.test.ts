import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { describeContract } from './contract.ts';

describeWithBubblewrap('processes in namespaces of their own', () => {
  describeContract({
    name: 'bubblewrap',
    create: () => bubblewrapProvider(),
    kill: async ({ id }) => {
      process.kill(Number(id), 'SIGKILL');
    },
    cannot: {},
  });
});
