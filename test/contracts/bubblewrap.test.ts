import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeContract } from './contract.ts';

describeContract({
  name: 'bubblewrap',
  create: () => bubblewrapProvider(),
  kill: async ({ id }) => {
    process.kill(Number(id), 'SIGKILL');
  },
  cannot: {},
});
