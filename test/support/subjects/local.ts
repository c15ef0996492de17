import { existsSync, realpathSync } from 'node:fs';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import type { ContractSubject, Gaps } from '../../../src/testing/index.ts';
import { hasBubblewrap } from '../bubblewrap.ts';
import type { Choice } from '../describe-suite.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../local-provider.ts';

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

/** A language in ordinary processes. */
export function localSubject(language: LanguageName): ContractSubject {
  return {
    name: 'unisolated local process',
    language,
    provider: () => unisolatedLocalProvider(),
    kill: killLocalSandbox,
    cannot,
  };
}

/** Leaves everything out if bubblewrap starts the same runner with the same interpreter. */
export function unlessInBubblewrap(language: LanguageName): Choice | undefined {
  const isCovered = hasBubblewrap && (language !== 'javascript' || isSystemNode);
  return isCovered
    ? { groups: [], coveredBy: 'bubblewrap, which starts the same runner' }
    : undefined;
}
