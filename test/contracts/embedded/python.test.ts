import { describeEmbedded } from './subject.ts';

const NO_PROCESSES = 'WebAssembly has no processes';

describeEmbedded(
  'python',
  {
    threads: 'Pyodide does not support threads',
    subprocesses: NO_PROCESSES,
    fork: NO_PROCESSES,
    'native code': 'WebAssembly can read its address 0',
  },
  {
    // A third of the sandboxes. The groups of Python have its own tests of policies and budgets.
    except: ['sessions', 'policy', 'budgets'],
    coveredBy:
      'JavaScript in the embedded sandbox, and Python in bubblewrap: the host decides it, and one provider starts and ends both',
  },
);
