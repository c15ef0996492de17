import { describeEmbedded } from './subject.ts';

const NO_PROCESSES = 'WebAssembly has no processes';

describeEmbedded('python', {
  threads: 'Pyodide does not support threads',
  subprocesses: NO_PROCESSES,
  fork: NO_PROCESSES,
  'native code': 'WebAssembly can read its address 0',
});
