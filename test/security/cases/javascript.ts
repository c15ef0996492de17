import { programs, tests, type SecurityCase } from './security-case.ts';

export const JAVASCRIPT: readonly SecurityCase[] = [
  {
    case: 115,
    title: 'a program in JavaScript cannot speak for its supervisor, or for another execution',
    proofs: programs(
      'javascript/115-descriptors',
      'javascript/115-all-descriptors',
      'javascript/115-forged-report',
      'javascript/115-forged-call',
      'javascript/115-foreign-call',
      'javascript/115-sockets',
      'javascript/115-stolen-result',
      'javascript/115-closed-report',
      'javascript/115-closed-input',
      'javascript/115-closed-output',
      'javascript/115-printed-frames',
    ),
  },
  {
    case: 116,
    title:
      'a program that patches built-ins changes its own output, and no fact that the host reports',
    proofs: programs(
      'javascript/116-broken-before-call',
      'javascript/116-broken-before-end',
      'javascript/116-lying-language',
      'javascript/116-everything-is-a-promise',
      'javascript/116-polluted-bodies',
      'javascript/116-polluted-descriptors',
      'javascript/116-names',
      'javascript/116-entered-twice',
    ),
  },
  {
    case: 117,
    title: 'in the embedded sandbox, JavaScript cannot leave its worker',
    proofs: programs(
      'javascript/117-modules',
      'javascript/117-code-of-text',
      'javascript/117-reachable',
      'javascript/117-worker-scope',
      'javascript/117-port',
      'javascript/117-call-sites',
      'javascript/117-hooked-call',
      'javascript/117-hooked-output',
      'javascript/117-hooked-timers',
      'javascript/117-hooked-error',
      'javascript/117-hooked-rejection',
      'javascript/117-hooked-exit',
      'javascript/117-hooked-modules',
      'javascript/117-hooked-missing',
      'javascript/117-script',
    ),
  },
  {
    case: 118,
    title: 'signals from JavaScript reach nothing but the program’s own interpreter',
    proofs: programs('javascript/118-signals'),
  },
  {
    case: 119,
    title: 'a program does not get the rights of Node itself',
    proofs: programs('javascript/119-processes', 'javascript/119-flags', 'javascript/119-abort'),
  },
  {
    case: 120,
    title: 'no API of Node or Deno reaches a network',
    proofs: programs('javascript/120-network'),
  },
  {
    case: 121,
    title: 'Node accesses only the files of the sandbox, within its limits',
    proofs: programs('javascript/121-secrets', 'javascript/121-writes', 'javascript/121-full'),
  },
  {
    case: 122,
    title:
      'everything that JavaScript could use without end is limited, and its end is reported correctly',
    proofs: programs(
      'javascript/122-array-bomb',
      'javascript/122-buffer-bomb',
      'javascript/122-wasm-memory',
      'javascript/122-text-bomb',
      'javascript/122-json-bomb',
      'javascript/122-recursion',
      'javascript/122-microtasks',
      'javascript/122-timers',
      'javascript/122-rejections',
      'javascript/122-pattern',
      'javascript/122-wait',
      'javascript/122-callback',
    ),
  },
  {
    case: 123,
    title: 'what a JavaScript program throws or returns is shown without harm',
    proofs: programs(
      'javascript/123-endless-inspection',
      'javascript/123-thrown-proxy',
      'javascript/123-cyclic-causes',
      'javascript/123-long-message',
      'javascript/123-hostile-name',
    ),
  },
  {
    case: 124,
    title: 'a JavaScript program cannot survive its interrupt',
    proofs: [
      ...programs(
        'javascript/124-caught-everything',
        'javascript/124-own-listeners',
        'javascript/124-removed-listeners',
        'javascript/124-rearmed',
      ),
      ...tests(
        'runner/javascript/stopped-at-once.test.ts',
        'has its session go on where the first program is stopped while the runner loads',
      ),
    ],
  },
  {
    case: 125,
    title: 'each way in which a JavaScript program can end is reported correctly',
    proofs: programs('javascript/125-exit-everywhere', 'javascript/125-really-exit'),
  },
  {
    case: 126,
    title: 'JavaScript has the same limits for arguments and calls as Python',
    proofs: programs(
      'javascript/126-argument-bombs',
      'javascript/126-call-flood',
      'javascript/126-hostile-names',
    ),
  },
  {
    case: 127,
    title: 'TypeScript’s types give a program nothing that JavaScript does not',
    proofs: programs('typescript/127-hostile-types'),
  },
];
