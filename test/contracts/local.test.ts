import type { Gaps } from '../../src/testing/contract-suite.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../support/local-provider.ts';
import { describeSuite } from './run-suite.ts';

const NO_ISOLATION = 'the local provider starts ordinary processes, without isolation';

const cannot: Gaps = {
  'memory limit': NO_ISOLATION,
  'process limit': NO_ISOLATION,
  'storage limit': NO_ISOLATION,
  'read-only files': NO_ISOLATION,
  'file isolation': NO_ISOLATION,
  'process isolation': NO_ISOLATION,
  'network isolation': NO_ISOLATION,
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
