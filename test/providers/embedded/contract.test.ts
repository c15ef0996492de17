import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { describeContract } from '../../contracts/contract.ts';
import { describeJavascript } from '../../contracts/javascript.ts';
import type { Subject } from '../../contracts/subject.ts';

const NO_PROCESSES = 'WebAssembly has no processes';

const subject: Subject = {
  name: 'embedded: Deno and Pyodide',
  create: () => embeddedProvider(),
  kill: async ({ id }) => {
    process.kill(Number(id), 'SIGKILL');
  },
  cannot: {
    threads: 'WebAssembly has no threads here',
    subprocesses: NO_PROCESSES,
    fork: NO_PROCESSES,
    'native code': 'WebAssembly has no address that cannot be read, at its beginning',
    'pending callbacks': 'a worker of Deno does not say when nothing is left to do',
    'interrupts of JavaScript': 'a worker of Deno is stopped only as a whole',
  },
};

describeContract(subject);
describeJavascript(subject);
