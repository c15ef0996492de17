// Which system tests `npm run test:changed` runs for the files that differ.

const CONTRACTS = 'test/contracts/bubblewrap';
const GUESTS = 'test/guests/bubblewrap';

/** The first pattern that matches a file decides. Texts may have `$1`, the first group of the pattern. */
const RULES = [
  [/^test\/(.*\.test\.ts)$/, ['test/$1']],
  [/^test\/support\//, []],
  [
    /^test\/guests\/(python|javascript)\//,
    [`${GUESTS}/$1.test.ts`, 'test/guests/embedded/$1.test.ts'],
  ],
  [/^test\/(.*)\/[^/]+$/, ['test/$1/']],
  [
    /^src\/providers\/([^/]+)\//,
    ['test/providers/$1/', 'test/contracts/$1/', 'test/security/places/$1/'],
  ],
  [/^src\/(protocol|sandbox|execution|sessions)\//, ['test/$1/', `${CONTRACTS}/python.test.ts`]],
  [/^src\/languages\/type-check\//, ['test/languages/']],
  [/^src\/testing\//, ['test/testing/', `${CONTRACTS}/`, `${GUESTS}/`]],
  [/^src\/([^/]+)\//, ['test/$1/']],
  [
    /^runner\/python\//,
    ['test/runner/', `${CONTRACTS}/python.test.ts`, `${GUESTS}/python.test.ts`],
  ],
  [
    /^runner\/javascript\//,
    [
      'test/runner/javascript/',
      `${CONTRACTS}/javascript.test.ts`,
      `${CONTRACTS}/typescript.test.ts`,
      `${GUESTS}/javascript.test.ts`,
    ],
  ],
  [/^runner\/bash\//, ['test/runner/bash/', `${CONTRACTS}/bash.test.ts`]],
  [
    /^runner\/embedded\//,
    [
      'test/runner/embedded/',
      'test/providers/embedded/',
      'test/contracts/embedded/',
      'test/guests/embedded/',
    ],
  ],
  [/^runner\//, ['test/providers/bubblewrap/']],
  [/^examples\//, ['test/examples/']],
  [/^(?:docs\/|[^/]+\.md$)/, ['test/docs/']],
];

/** @returns files and folders of tests, each once. */
export function testsOf(files) {
  return [...new Set(files.flatMap(testsOfFile))];
}

function testsOfFile(file) {
  for (const [pattern, tests] of RULES) {
    const match = pattern.exec(file);
    if (match) return tests.map((test) => test.replace('$1', match[1] ?? ''));
  }
  return [];
}
