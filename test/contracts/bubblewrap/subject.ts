import type { LanguageName } from '../../../src/protocol/messages.ts';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import { describeWithBubblewrap } from '../../support/bubblewrap.ts';
import { describeSuite } from '../run-suite.ts';

/** Every test of a language: here all guests of Python, Node and bash run most quickly. */
export function describeInBubblewrap(language: LanguageName): void {
  describeWithBubblewrap('processes in namespaces of their own', () => {
    describeSuite({
      name: 'bubblewrap',
      language,
      provider: () => bubblewrapProvider(),
      kill: async ({ id }) => {
        process.kill(Number(id), 'SIGKILL');
      },
    });
  });
}
