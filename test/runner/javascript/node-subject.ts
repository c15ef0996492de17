import type { Subject } from '../../contracts/subject.ts';
import { killLocalSandbox, unisolatedLocalProvider } from '../../support/local-provider.ts';

/** The Node of this machine, for tests of what its guest makes of programs. */
export const nodeSubject: Subject = {
  name: 'Node',
  create: () => unisolatedLocalProvider(),
  kill: killLocalSandbox,
  cannot: {},
};
