import type { LanguageName } from '../../../src/protocol/messages.ts';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import type { Gaps } from '../../../src/testing/contract-suite.ts';
import { describeSuite, type Choice } from '../run-suite.ts';

/** Tests of a language in the embedded sandbox. */
export function describeEmbedded(language: LanguageName, cannot: Gaps, choice?: Choice): void {
  describeSuite(
    {
      name: 'embedded',
      language,
      provider: () => embeddedProvider(),
      kill: async ({ id }) => {
        process.kill(Number(id), 'SIGKILL');
      },
      cannot,
    },
    choice,
  );
}

const NO_DENO = 'the embedded sandbox hides the APIs of Node and Deno from programs';

/** What JavaScript and TypeScript lack there. */
export const JAVASCRIPT_GAPS: Gaps = {
  files: NO_DENO,
  'pending callbacks': 'Deno does not report when a worker has nothing left to do',
  interrupt: 'Deno can stop only a whole worker',
  'ending itself': NO_DENO,
};
