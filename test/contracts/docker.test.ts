import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../support/engine.ts';
import { describeContract } from './contract.ts';

describeWithEngine('containers', (docker) => {
  describeContract({
    name: 'docker',
    create: () => dockerProvider(),
    kill: async ({ id }) => {
      await docker.getContainer(id).kill();
    },
    cannot: {},
  });
});
