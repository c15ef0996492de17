import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import type { ContractSubject, Gaps } from '../../../src/testing/index.ts';

const NO_PROCESSES = 'WebAssembly has no processes';
const NO_DENO = 'the embedded sandbox hides the APIs of Node and Deno from programs';

const JAVASCRIPT_GAPS: Gaps = {
  files: NO_DENO,
  'pending callbacks': 'Deno does not report when a worker has nothing left to do',
  interrupt: 'Deno can stop only a whole worker',
  'ending itself': NO_DENO,
};

const GAPS: Readonly<Record<'javascript' | 'python' | 'typescript', Gaps>> = {
  python: {
    threads: 'Pyodide does not support threads',
    subprocesses: NO_PROCESSES,
    fork: NO_PROCESSES,
    'native code': 'WebAssembly can read its address 0',
    'read-only files':
      'the files of Pyodide are in memory of the sandbox, and the limit of storage applies to all',
  },
  javascript: JAVASCRIPT_GAPS,
  typescript: JAVASCRIPT_GAPS,
};

/** A language in the embedded sandbox. */
export function embeddedSubject(language: keyof typeof GAPS): ContractSubject {
  return {
    name: 'embedded',
    language,
    provider: () => embeddedProvider(),
    kill: async ({ id }) => {
      process.kill(Number(id), 'SIGKILL');
    },
    cannot: GAPS[language],
  };
}
