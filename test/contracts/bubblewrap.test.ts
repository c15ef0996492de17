import { bubblewrapProvider } from '../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeWithBubblewrap } from '../support/bubblewrap.ts';
import { describeContract } from './contract.ts';
import { describeJavascript } from './javascript.ts';
import type { Subject } from './subject.ts';

describeWithBubblewrap('processes in namespaces of their own', () => {
  const subject: Subject = {
    name: 'bubblewrap',
    create: () => bubblewrapProvider(),
    kill: async ({ id }) => {
      process.kill(Number(id), 'SIGKILL');
    },
    cannot: {},
  };
  describeContract(subject);
  describeJavascript(subject);
});
