import { describe } from 'vitest';
import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import { describeCorpus } from './corpus-suite.ts';
import { listLiving, withLiving } from './list-living.ts';

describe('hostile programs in the embedded sandbox', () => {
  describeCorpus({
    place: 'embedded',
    create: () => withLiving(embeddedProvider()),
    listSandboxes: async ({ created }) => listLiving(created),
  });
});
