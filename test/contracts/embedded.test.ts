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
    threads: 'Pyodide does not support threads',
    subprocesses: NO_PROCESSES,
    fork: NO_PROCESSES,
    'native code': 'WebAssembly can read its address 0',
  },
});

const NO_DENO = 'the embedded sandbox hides the APIs of Node and Deno from programs';

const javascriptGaps: Gaps = {
  files: NO_DENO,
  'pending callbacks': 'Deno does not report when a worker has nothing left to do',
  interrupt: 'Deno can stop only a whole worker',
  'ending itself': NO_DENO,
};

for (const language of ['typescript', 'javascript'] as const) {
  describeSuite({ ...embedded, language, cannot: javascriptGaps });
}
