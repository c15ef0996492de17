import { describe } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { opener, testHostileFiles } from '../../security/files/hostile-files.ts';

describe('the files of an embedded sandbox', () => {
  testHostileFiles(opener(() => embeddedProvider()));
});
