import { describe } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { itGivesFiles } from '../../orchestrator/files/sandbox-cases.ts';

describe('files of a run in the embedded sandbox', () => {
  itGivesFiles(() => embeddedProvider());
});
