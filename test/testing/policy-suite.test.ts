import assert from 'node:assert/strict';
import { expect, it, onTestFinished } from 'vitest';
import { codeTool } from '../../src/orchestrator/code/code-tool.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import {
  policySuite,
  type ContractSuite,
  type Way,
  type WayListener,
  type WayParts,
} from '../../src/testing/index.ts';
import { Shop } from '../../src/testing/policy/shop.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

/** Parts that an adapter changes or leaves out, and what it does to events and answers. */
interface Fault {
  readonly parts?: (parts: WayParts) => Partial<WayParts>;
  readonly listener?: (onEvent: WayListener) => WayListener;
  readonly answer?: (text: string) => string;
}

/** A suite for an adapter that has a fault. */
function suiteFor(
  { parts: change, listener, answer }: Fault = {},
  way: Partial<Way> = {},
): ContractSuite {
  const suite = policySuite({
    name: 'an adapter',
    language: 'python',
    hasEvents: true,
    open: async (given) => {
      const { tools, policy, audit, budgets, labels, onClose } = { ...given, ...change?.(given) };
      const provider = unisolatedLocalProvider();
      const executor = new SandboxExecutor({ provider, tools, audit, budgets });
      onClose(async () => executor.close());
      const tool = codeTool({ executor, policy, labels });
      onClose(async () => tool.close());
      return {
        run: async (code, onEvent) => {
          const { text } = await tool.execute(
            { code },
            { onEvent: listener?.(onEvent) ?? onEvent },
          );
          return answer === undefined ? text : answer(text);
        },
      };
    },
    ...way,
  });
  onTestFinished(async () => suite.close().catch(() => {}));
  return suite;
}

async function run(suite: ContractSuite, title: string): Promise<void> {
  const found = suite.tests.filter((test) => test.title === title);
  expect(found).toHaveLength(1);
  await found[0]?.run();
}

/** Runs the tests with these titles. @returns the titles of those that find a difference. */
async function failuresOf(
  suite: ContractSuite,
  titles: readonly string[],
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const title of titles) {
    await run(suite, title).catch((error: unknown) => {
      if (!(error instanceof assert.AssertionError)) throw error;
      failed.push(title);
    });
  }
  return failed;
}

it('passes an adapter that passes everything on, also if its tests run twice and in another order', async () => {
  const suite = suiteFor();
  const titles = suite.tests.map(({ title }) => title);
  expect(titles.length).toBeGreaterThanOrEqual(25);
  expect(new Set(titles).size).toBe(titles.length);
  expect(await failuresOf(suite, [...titles, ...titles.toReversed()])).toEqual([]);
  await suite.close();
});

it('has tests of programs only for a way that has a language', () => {
  const groupsOf = ({ tests }: ContractSuite): readonly string[] => [
    ...new Set(tests.map(({ group }) => group)),
  ];
  expect(groupsOf(suiteFor())).toEqual(['calls', 'calls of programs']);
  expect(groupsOf(suiteFor({}, { language: undefined } as never))).toEqual(['calls']);
});

const denied = 'a call that a rule denies';
const limited = 'a call that exceeds a limit of its session does not run';
const granted = 'a call that a grant covers does not ask, and counts';
const deferred = 'a call that is deferred is asked about and made when its program has ended';
const together = 'calls that are made at the same time are asked about together';
const counted = 'a call does not run if the program has made as many as it may make';
const unapproved = 'a call of a rule that asks is refused without an approver';
const rejected = 'a call that the approver rejects';
const allowed = 'a call about which no rule says anything';

const approvesAll: Fault['parts'] = ({ policy }) => ({
  policy: { ...policy, approver: async () => ({ approved: true }) },
});

it.each<[string, Fault, readonly string[]]>([
  [
    'the policy',
    { parts: () => ({ policy: { rules: [] } }) },
    [denied, rejected, limited, granted, deferred, together, unapproved],
  ],
  ['the approver', { parts: approvesAll }, [rejected, granted, together, unapproved]],
  [
    'the audit log',
    { parts: () => ({ audit: new Shop().audit }) },
    [allowed, denied, limited, together, deferred, granted, counted],
  ],
  [
    'the labels',
    { parts: () => ({ labels: {} }) },
    [allowed, 'a call that no rule denies for its labels'],
  ],
  [
    'the budgets',
    { parts: () => ({ budgets: {} }) },
    [
      counted,
      'a call with too large arguments does not run',
      'a call waits if the program has as many in progress as it may have',
    ],
  ],
  ['events', { listener: () => () => {} }, [allowed, denied, limited, deferred]],
  ['why a call failed', { answer: (text) => text.replace(/: .*/, '') }, [denied, limited]],
  ['text', { answer: () => undefined as never }, [allowed]],
])('finds an adapter that does not pass on %s', async (_, fault, titles) => {
  const suite = suiteFor(fault);
  expect(await failuresOf(suite, titles)).toEqual(titles);
});

it('finds an adapter that does not close what it opened', async () => {
  const executors: SandboxExecutor[] = [];
  onTestFinished(async () => {
    await Promise.all(executors.map(async (executor) => executor.close()));
  });
  const suite = policySuite({
    name: 'an adapter',
    language: 'python',
    open: async ({ tools, policy, audit, budgets }) => {
      const provider = unisolatedLocalProvider();
      const executor = new SandboxExecutor({ provider, tools, policy, audit, budgets });
      executors.push(executor);
      const session = await executor.acquire();
      return { run: async (code) => (await session.execute(code)).stdout };
    },
  });
  await run(suite, denied);
  await expect(suite.close()).rejects.toThrow('Sessions remain after the way was closed.');
});

it('closes all that a way has opened before it failed to open, also if one cannot be closed', async () => {
  const closed: string[] = [];
  const suite = policySuite({
    name: 'an adapter',
    open: async ({ onClose }) => {
      for (const name of ['first', 'second']) onClose(async () => closed.push(name));
      onClose(async () => {
        throw new Error('no answer');
      });
      throw new Error('no connection');
    },
  });
  await expect(run(suite, denied)).rejects.toThrow('no connection');
  expect(closed).toEqual([]);
  await expect(suite.close()).rejects.toThrow('no answer');
  expect(closed).toEqual(['second', 'first']);
});

it.each([
  ['run', 'python', 'open must return a function run, because the way has a language.'],
  ['call', undefined, 'open must return a function call, because the way has no language.'],
] as const)('says if a way does not return the function %s', async (_, language, message) => {
  const suite = policySuite({
    name: 'an adapter',
    ...(language && { language }),
    open: async () => ({}),
  });
  await expect(run(suite, denied)).rejects.toThrow(message);
});

it.each([
  ['a language without programs', { language: 'cobol' }, 'language must be one of "python",'],
  [
    'a text for what comes without an approver',
    { withoutApprover: 'OPTION_INVALID' },
    'withoutApprover must be a regular expression',
  ],
  ['another word for an option', { events: true }, 'Did you mean hasEvents?'],
])('refuses %s', (_, changes, message) => {
  expect(() => suiteFor({}, changes as Partial<Way>)).toThrow(
    expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(message) }),
  );
});
