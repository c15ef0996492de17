import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll } from 'vitest';
import { dockerProvider } from '../../src/providers/docker/docker-provider.ts';
import { describeWithEngine } from '../support/engine.ts';
import { describeSuite } from './run-suite.ts';

const engineScript = fileURLToPath(new URL('../../scripts/test-engine.sh', import.meta.url));

describeWithEngine('containers of an image with Python 3.9 and nothing of ours', (docker) => {
  beforeAll(async () => {
    await promisify(execFile)(engineScript, ['image', '3.9']);
  }, 300_000);

  describeSuite({
    name: 'docker with Python 3.9',
    language: 'python',
    provider: () => dockerProvider({ image: 'sandboxed-ptc-test:python3.9' }),
    kill: async ({ id }) => {
      await docker.getContainer(id).kill();
    },
  });
});
