import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { describeSuite } from './run-suite.ts';

describeWithBubblewrap('processes in namespaces of their own', () => {
  for (const language of ['python', 'typescript', 'javascript', 'bash'] as const) {
    describeSuite({
      name: 'bubblewrap',
      language,
      provider: () => bubblewrapProvider(),
      kill: async ({ id }) => {
        process.kill(Number(id), 'SIGKILL');
      },
    });
  }
});
