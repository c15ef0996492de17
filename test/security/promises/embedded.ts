import { programs, tests } from '../cases/security-case.ts';
import {
  design,
  note,
  shown,
  type PromiseProof,
  type SecurityPromise,
} from './security-promise.ts';

function holds(sentence: string, ...proofs: readonly (readonly PromiseProof[])[]): SecurityPromise {
  return shown(sentence, proofs.flat(), ['embedded']);
}

/** Tests of one file of the provider. */
function inFile(name: string, ...titles: readonly string[]): PromiseProof[] {
  return tests(`providers/embedded/${name}.test.ts`, ...titles);
}

const HOOKED = programs(
  'javascript/117-hooked-call',
  'javascript/117-hooked-error',
  'javascript/117-hooked-exit',
  'javascript/117-hooked-missing',
  'javascript/117-hooked-modules',
  'javascript/117-hooked-output',
  'javascript/117-hooked-rejection',
  'javascript/117-hooked-timers',
);

export const EMBEDDED: readonly SecurityPromise[] = [
  note('The embedded provider runs CPython', 'it says of what the sentences after it are'),
  holds(
    'The process is started with every permission denied',
    inFile(
      'deno-command',
      'denies every permission that Deno knows and grants none',
      'has an environment that does not depend on the host’s and no place for a cache',
    ),
    inFile('isolation', 'sees nothing of the host’s environment'),
    inFile('security-report', 'hold if its process runs as it was started'),
  ),
  holds(
    'It has no filter of system calls and no namespaces',
    inFile(
      'security-report',
      'are fewer than those of a container, and the report says which are missing',
    ),
  ),
  holds(
    'is limited only by its time limit',
    programs('resources/47-busy', 'javascript/122-timers'),
    inFile(
      'security-report',
      'are fewer than those of a container, and the report says which are missing',
    ),
  ),
  holds(
    'own limit applies to the memory of Python',
    inFile('deno-command', 'refuses code made of text, and memory beyond the limit'),
    inFile('limits', 'a program that fills a variable with %s objects ends for want of memory'),
  ),
  holds(
    'The supervisor watches the memory of the whole process',
    inFile(
      'limits',
      'memory outside the interpreter is measured, and exceeding it is reported as memory',
    ),
    inFile('hostile-guest', 'that claims to wait and takes %s is ended between programs'),
  ),
  holds(
    'On Linux the kernel limits it too',
    inFile(
      'deno-command',
      'is under the kernel’s limit on Linux, with paths that are never a part of shell code',
    ),
    inFile(
      'limits',
      'while the host does not read and nothing can be watched, the kernel’s limit ends the process',
    ),
  ),
  holds(
    'A hostile program can find a way from Python',
    inFile(
      'isolation',
      'that digs up the interface to JavaScript again can make no code of text there',
    ),
  ),
  holds(
    'There it finds no globals except those',
    inFile(
      'isolation',
      'that digs up the interface to JavaScript again can make no code of text there',
      'has lost the globals that reach further, and any way to more code',
      'has no permissions even if it finds a way to Deno',
    ),
  ),
  note('share one hash seed', 'it admits a weakness of snapshots'),
  holds(
    'A program has the globals of Node that only compute',
    programs(
      'javascript/117-modules',
      'javascript/117-code-of-text',
      'javascript/117-reachable',
      'javascript/117-script',
    ),
  ),
  holds('It cannot import `node:fs`', programs('javascript/117-modules')),
  note('is the main thread of the process', 'it says of what the sentences after it are'),
  holds(
    'It shares memory with a worker, but no message port',
    programs('javascript/117-port', 'javascript/117-worker-scope'),
    inFile('hostile-guest', 'says nothing by the messages of its worker'),
  ),
  holds('While programs run, the worker uses this memory', HOOKED),
  holds(
    'A JavaScript program can therefore not write a report',
    programs('javascript/117-reachable', 'javascript/117-port'),
    HOOKED,
  ),
  holds(
    'A Python program can write one, to the file',
    programs('protocol/55-forged-report'),
    inFile('isolation', 'cannot have its supervisor take a line of its own for a fact'),
  ),
  holds(
    'In both languages, a report counts only when',
    inFile('isolation', 'that reports a success itself has ended as it really does, by %s'),
    inFile(
      'hostile-guest',
      'that reports success but keeps running with %s has not ended: it is stopped like any other program',
      'that reports success and then exits has exited',
      'has ended as its last report says',
    ),
    inFile('between-programs', 'a program that continues after process.exit has not ended'),
  ),
  holds(
    'If a program reports a success itself and then raises',
    inFile('isolation', 'that reports a success itself has ended as it really does, by %s'),
    inFile(
      'hostile-guest',
      'that reports success but keeps running with %s has not ended: it is stopped like any other program',
      'that reports success and then exits has exited',
    ),
    inFile('between-programs', 'a program that continues after process.exit has not ended'),
  ),
  holds(
    'The JavaScript of the worker, and not a line',
    inFile(
      'isolation',
      'cannot have its end reported as memory without using memory',
      'cannot have its supervisor take a line of its own for a fact',
    ),
    inFile('limits', 'a crash of the interpreter is reported, with the output until then'),
  ),
  holds(
    'An exit status has eight bits',
    inFile('hostile-guest', 'ends with an exit status of eight bits'),
  ),
  holds(
    'The description of a crash is shortened',
    inFile(
      'hostile-guest',
      'has its account of a crash shown short, on one line and without control characters',
    ),
  ),
  holds(
    'the thread of the worker is blocked',
    inFile('between-programs', 'nothing runs that a program has left'),
  ),
  design(
    'by design, the process may use 3 s of processor time',
    'how soon a busy machine reaches the bound differs',
    inFile('hostile-guest', 'that claims to wait and takes %s is ended between programs'),
  ),
  holds(
    'is code that each sandbox runs',
    inFile(
      'embedded-provider',
      'is made on first use, and kept',
      'is made again if the file is damaged',
    ),
  ),
  holds(
    'The host uses it only if it and its directory belong',
    inFile(
      'snapshot-cache',
      'takes none that another user may have written:',
      'a file or a directory of another user',
      'takes a file that was cut or changed for none',
    ),
  ),
  design(
    'By design, the host reads the owner and the mode',
    'a test cannot replace a file between two calls of the host',
    inFile('snapshot-cache', 'a link, and no file'),
  ),
  holds(
    'Otherwise the host makes the snapshot again',
    inFile(
      'embedded-provider',
      'is made again if another user may have changed it, and the listener gets the reason',
    ),
  ),
];
