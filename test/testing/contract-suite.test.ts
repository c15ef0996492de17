import { inspect } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import {
  contractSuite,
  programsOf,
  type ContractPrograms,
  type ContractSubject,
} from '../../src/testing/index.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { local, openSuite, runTest } from './local-suite.ts';

const python = programsOf('python');

it('has at least 190 tests, each with a title of its own', () => {
  const titles = openSuite().tests.map(({ group, title }) => `${group}: ${title}`);
  expect(titles.length).toBeGreaterThanOrEqual(190);
  expect(new Set(titles).size).toBe(titles.length);
});

it('runs one test by itself, and leaves nothing when it is closed', async () => {
  let sandboxes = 0;
  const provider = unisolatedLocalProvider();
  const counting: SandboxProvider = {
    ...provider,
    create: async (spec, options) => {
      const sandbox = await provider.create(spec, options);
      sandboxes += 1;
      return {
        ...sandbox,
        close: async () => {
          await sandbox.close();
          sandboxes -= 1;
        },
      };
    },
  };
  const suite = openSuite({ provider: () => counting });
  await runTest(suite, 'what a program prints is its output');
  expect(sandboxes).toBe(1);
  await suite.close();
  expect(sandboxes).toBe(0);
});

it('runs programs that harm nothing in one sandbox, also those of several groups', async () => {
  const provider = unisolatedLocalProvider();
  const created = vi.spyOn(provider, 'create');
  const suite = openSuite({ provider: () => provider });
  await runTest(suite, 'what a program prints is its output');
  await runTest(suite, 'blank lines and carriage returns stay');
  await runTest(suite, 'a submitted null is a value');
  expect(created).toHaveBeenCalledOnce();
});

it('finds a language whose programs do something else', async () => {
  const programs: ContractPrograms = { ...python, hello: 'print("goodbye")' };
  const suite = openSuite({ programs });
  await expect(runTest(suite, 'what a program prints is its output')).rejects.toThrow(
    /stdout should be "hello\\n"\. The result: [^]*goodbye/,
  );
});

it('finds a provider that leaves sandboxes behind', async () => {
  const provider = unisolatedLocalProvider();
  const started: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    await Promise.all(started.map(async (close) => close()));
  });
  const suite = contractSuite({
    ...local,
    provider: () => ({
      ...provider,
      create: async (spec, options) => {
        const sandbox = await provider.create(spec, options);
        started.push(sandbox.close.bind(sandbox));
        return {
          ...sandbox,
          // Its engine does not answer.
          close: async () => new Promise(() => {}),
        };
      },
    }),
  });
  await runTest(suite, 'what a program prints is its output');
  // How long the suite waits until sandboxes are closed.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await Promise.all([
    expect(suite.close()).rejects.toThrow('Sandboxes remain after their executors'),
    vi.advanceTimersByTimeAsync(120_000),
  ]);
});

it('says in the title what is missing, and fails if it works', async () => {
  const suite = openSuite({ cannot: { subprocesses: 'I think so' } });
  const title =
    'the output of a child process is output [must fail, because programs cannot start other programs: I think so]';
  await expect(runTest(suite, title)).rejects.toThrow(
    'The feature "subprocesses" works here. Remove it from the option cannot.',
  );
});

it('does not take an error of the host for a missing feature', async () => {
  const suite = openSuite({
    cannot: { subprocesses: 'no processes' },
    provider: () => unisolatedLocalProvider('/no/such/interpreter'),
  });
  await expect(runTest(suite, 'the output of a child process')).rejects.toMatchObject({
    code: 'SANDBOX_START_FAILED',
  });
});

it('skips what would harm the machine and what its language lacks, with the reason', async () => {
  const programs: ContractPrograms = { ...python, keepTypes: { absent: 'no classes here' } };
  let providers = 0;
  const suite = openSuite({
    cannot: { 'read-only files': 'this is not a sandbox' },
    programs,
    provider: () => {
      providers += 1;
      return unisolatedLocalProvider();
    },
  });
  const skipped = suite.tests.filter(({ skip }) => skip !== undefined);
  expect(skipped).toMatchObject([
    { title: 'a class is there for the next program [no classes here]', skip: 'no classes here' },
    {
      title:
        'a program cannot write to system directories [the file system can be written to: this is not a sandbox]',
    },
  ]);
  await Promise.all(skipped.map(async ({ run }) => run()));
  expect(providers).toBe(0);
});

it('skips the tests that kill a sandbox if there is no kill', () => {
  const { kill: _, ...subject } = local;
  const { tests } = contractSuite(subject);
  expect(tests.filter(({ skip }) => skip?.includes('the option kill was not given'))).toHaveLength(
    2,
  );
});

const code = 'a program as text or a list of such texts with at least one';

/** Tables with one wrong entry, each with what is said about it. */
function wrongPrograms(
  entries: readonly (readonly [unknown, string])[],
): [string, { programs: object }, string][] {
  return entries.map(([hello, message]) => [
    `the program ${inspect(hello)}`,
    { programs: { ...python, hello } },
    `programs.hello${message}`,
  ]);
}

it.each<[string, object, string]>([
  [
    'a feature that there is not',
    { cannot: { thread: 'none' } },
    'cannot names the feature "thread", which does not exist. Use one of: subprocesses, fork,',
  ],
  [
    'a feature without a reason',
    { cannot: { subprocesses: '' } },
    'cannot["subprocesses"] has no reason. Say as text why the sandbox lacks it.',
  ],
  [
    'a table that lacks a program',
    { programs: { ...python, hello: undefined } },
    'programs has no hello. Add a program that prints the line `hello`, or { absent: reason }.',
  ],
  [
    'a program that no test runs',
    { programs: { ...python, helo: 'print("hello")' } },
    'programs has "helo", which no test runs.',
  ],
  ...wrongPrograms([
    [null, ` must be ${code}, { code }`],
    [5, ` must be ${code}, { code }`],
    [[], ` must be ${code}, { code }`],
    [['x', 5], ` must be ${code}, { code }`],
    [{}, `.code must be ${code}, not undefined.`],
    [{ code: 5 }, `.code must be ${code}, not 5.`],
    [{ code: [] }, `.code must be ${code}, not an`],
    [{ absent: undefined }, '.absent must be the reason as text, not undefined.'],
    [{ absent: ' ' }, '.absent must be the reason as text, not " ".'],
  ]),
  [
    'a language without programs',
    { language: 'cobol' },
    'This package has no programs for the language cobol. Pass a table of them as the option programs.',
  ],
])('refuses %s', (_, changes, message) => {
  expect(() => contractSuite({ ...local, ...(changes as Partial<ContractSubject>) })).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(message) }),
  );
});

it('has the tests of a language in the suites of that language only', () => {
  const groupsOf = (language: ContractSubject['language']): Set<string> =>
    new Set(openSuite({ language }).tests.map(({ group }) => group));
  expect(groupsOf('python')).toContain('processes and threads in Python');
  expect(groupsOf('javascript')).toContain('modules of Node');
  expect(groupsOf('javascript')).not.toContain('processes and threads in Python');
  expect([...groupsOf('python')]).toEqual(expect.arrayContaining([...groupsOf('bash')]));
});
