import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';

interface ChangedModule {
  readonly testsOf: (files: readonly string[]) => string[];
}

const module = new URL('../../scripts/test/changed.mjs', import.meta.url).href;
const { testsOf } = (await import(module)) as ChangedModule;

it.each([
  ['src/execution/execute.ts', ['test/execution/', 'test/contracts/bubblewrap/python.test.ts']],
  [
    'src/providers/docker/docker-provider.ts',
    ['test/providers/docker/', 'test/contracts/docker/', 'test/security/places/docker/'],
  ],
  ['runner/bash/traps.sh', ['test/runner/bash/', 'test/contracts/bubblewrap/bash.test.ts']],
  [
    'test/guests/python/tools/asyncio.ts',
    ['test/guests/bubblewrap/python.test.ts', 'test/guests/embedded/python.test.ts'],
  ],
  [
    'runner/python/guest/concurrency/waiting.py',
    [
      'test/runner/',
      'test/contracts/bubblewrap/python.test.ts',
      'test/guests/bubblewrap/python.test.ts',
    ],
  ],
  ['src/models/openai/model.ts', ['test/models/']],
  ['test/cli/main.test.ts', ['test/cli/main.test.ts']],
  ['test/cli/support.ts', ['test/cli/']],
  ['docs/tools.md', ['test/docs/']],
  ['README.md', ['test/docs/']],
  ['vitest.config.ts', []],
])('a change of %s runs %j', (file, tests) => {
  expect(testsOf([file, file])).toEqual(tests);
  // The file of a part, such as all tests of bash, is the beginning of a name.
  for (const test of tests.filter((path) => !path.endsWith('bash'))) {
    expect([test, existsSync(test)]).toEqual([test, true]);
  }
});
