import type { LanguageName } from '../../../src/protocol/messages.ts';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import type { ContractSubject } from '../../../src/testing/index.ts';

/** A language in bubblewrap. */
export function bubblewrapSubject(language: LanguageName): ContractSubject {
  return {
    name: 'bubblewrap',
    language,
    provider: () => bubblewrapProvider(),
    kill: async ({ id }) => {
      process.kill(Number(id), 'SIGKILL');
    },
  };
}
