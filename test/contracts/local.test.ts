import { existsSync, realpathSync } from 'node:fs';
import type { LanguageName } from '../../src/protocol/messages.ts';
import type { Gaps } from '../../src/testing/contract-suite.ts';
import { hasBubblewrap } from '../support/bubblewrap.ts';
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

/** What bubblewrap starts. */
const SYSTEM_NODE = '/usr/bin/node';
const isSystemNode =
  existsSync(SYSTEM_NODE) && realpathSync(SYSTEM_NODE) === realpathSync(process.execPath);

/** Whether bubblewrap starts the same runner with the same interpreter. */
function isCovered(language: LanguageName): boolean {
  return hasBubblewrap && (language !== 'javascript' || isSystemNode);
}

for (const language of ['python', 'typescript', 'javascript', 'bash'] as const) {
  describeSuite(
    {
      name: 'unisolated local process',
      language,
      provider: () => unisolatedLocalProvider(),
      kill: killLocalSandbox,
      cannot,
    },
    isCovered(language)
      ? { groups: [], coveredBy: 'bubblewrap, which starts the same runner' }
      : undefined,
  );
}
