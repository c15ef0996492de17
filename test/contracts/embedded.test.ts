import { embeddedProvider } from '../../src/providers/embedded/embedded-provider.ts';
import type { ContractSubject, Gaps } from '../../src/testing/contract-suite.ts';
import { describeSuite } from './run-suite.ts';

const NO_PROCESSES = 'WebAssembly has no processes';

const embedded: Pick<ContractSubject, 'name' | 'provider' | 'kill'> = {
  name: 'embedded',
  provider: () => embeddedProvider(),
  kill: async ({ id }) => {
    process.kill(Number(id), 'SIGKILL');
  },
};

describeSuite({
  ...embedded,
  language: 'python',
  cannot: {
    threads: 'WebAssembly has no threads here',
    subprocesses: NO_PROCESSES,
    fork: NO_PROCESSES,
    'native code': 'WebAssembly has no address that cannot be read, at its beginning',
  },
});

const javascriptGaps: Gaps = {
  files: 'nothing of Deno’s is left to programs',
  'pending callbacks': 'a worker of Deno does not say when nothing is left to do',
  interrupt: 'a worker of Deno is stopped only as a whole',
  'ending itself': 'nothing of Deno’s is left to programs',
};

for (const language of ['typescript', 'javascript'] as const) {
  describeSuite({ ...embedded, language, cannot: javascriptGaps });
}
