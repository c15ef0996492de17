import type { Gaps } from '../../src/testing/contract-suite.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { describeSuite } from './run-suite.ts';

const NO_WALL = 'an ordinary process of this machine';

const cannot: Gaps = {
  'memory limit': NO_WALL,
  'process limit': NO_WALL,
  'storage limit': NO_WALL,
  'read-only files': NO_WALL,
  'file isolation': NO_WALL,
  'process isolation': NO_WALL,
  'network isolation': NO_WALL,
};

for (const language of ['python', 'typescript', 'javascript', 'bash'] as const) {
  describeSuite({
    name: 'unisolated local process',
    language,
    provider: () => unisolatedLocalProvider(),
    kill: killLocalSandbox,
    cannot,
  });
}
