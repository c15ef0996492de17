import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../support/engine.ts';
import { describeContract } from './contract.ts';
import { describeJavascript } from './javascript.ts';
import type { Subject } from './subject.ts';

describeWithEngine('containers', (docker) => {
  const subject: Subject = {
    name: 'docker',
    create: () => dockerProvider(),
    kill: async ({ id }) => {
      await docker.getContainer(id).kill();
    },
    cannot: {},
  };
  describeContract(subject);
  describeJavascript(subject);
});
