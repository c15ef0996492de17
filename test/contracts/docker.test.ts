import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../support/engine.ts';
import { describeSuite } from './run-suite.ts';

describeWithEngine('containers', (docker) => {
  for (const language of ['python', 'typescript', 'javascript', 'bash'] as const) {
    describeSuite({
      name: 'docker',
      language,
      provider: () => dockerProvider(),
      kill: async ({ id }) => {
        await docker.getContainer(id).kill();
      },
    });
  }
});
