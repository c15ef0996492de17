import { describe } from 'vitest';
import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import { describeCorpus } from './corpus-suite.ts';
import { listLiving } from './list-living.ts';

describe('hostile programs in the embedded engine', () => {
  describeCorpus({
    place: 'embedded',
    create: () => embeddedProvider(),
    listSandboxes: async ({ created }) => listLiving(created),
  });
});
