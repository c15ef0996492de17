import { expect, it } from 'vitest';
import type { ToolDefinition } from '../../../src/tools/define-tool.ts';
import { useExecutors } from '../../sessions/support.ts';
import { converse, runs, says, uses } from '../support.ts';

const makeExecutor = useExecutors();

const TEXT = 'r'.repeat(3000);
const report: ToolDefinition = {
  name: 'make_report',
  description: 'Reports at length.',
  allowedCallers: ['direct'],
  run: () => TEXT,
};
const fail: ToolDefinition = {
  name: 'fail',
  description: 'Fails at length.',
  allowedCallers: ['direct'],
  run: () => {
    throw new Error(TEXT);
  },
};
const toolList = [report, fail];
const kept = (path: string): unknown =>
  expect.stringContaining(`All of it is in ${path}: read the`);

it('a long result of a direct call is cut if no session is open, and starts none', async () => {
  const { executor, provider } = makeExecutor();
  const { orchestrator, results } = converse([[uses('make_report', {})], says('Done.')], {
    toolList,
    executor,
    maxResultBytes: 1000,
  });
  await orchestrator.run('Report.');
  const [result] = results(1);
  expect(result?.text.length).toBeLessThanOrEqual(1000);
  expect(result?.text).toMatch(/^\[This result is too long: of 3,002 bytes, /);
  expect(result?.text).toMatch(
    /They are lost, because no session was open in which to keep them: ask for less at once\.\]$/,
  );
  expect(provider.created.size).toBe(0);
});

it('a long result of a direct call is whole in the session of the conversation, also if an earlier run opened it', async () => {
  const { executor, provider } = makeExecutor();
  const { orchestrator, results } = converse(
    [
      runs('x = 1'),
      [uses('make_report', {}, 'a'), uses('fail', {}, 'b')],
      says('Done.'),
      [uses('make_report', {})],
      says('Done again.'),
    ],
    { toolList, executor, maxResultBytes: 1000 },
  );
  await orchestrator.run('Report.');
  await orchestrator.run('Report again.');
  expect(results(2)).toEqual([
    { text: kept('/tmp/full-output/1.txt'), isError: false },
    { text: kept('/tmp/full-output/2.txt'), isError: true },
  ]);
  expect(results(4)).toEqual([{ text: kept('/tmp/full-output/3.txt'), isError: false }]);
  await using session = await executor.acquire({ sessionKey: orchestrator.sessionKey });
  expect(await session.files.readText('full-output/1.txt')).toBe(`"${TEXT}"`);
  expect(await session.files.readText('full-output/2.txt')).toContain(TEXT);
  expect(provider.created.size).toBe(1);
});

it('each program of an answer and each direct call beside it has a file of its own', async () => {
  const { executor } = makeExecutor();
  const { orchestrator, results } = converse(
    [
      [
        ...runs('print("p" * 3000)', 'a'),
        uses('make_report', {}, 'b'),
        ...runs('print("q" * 3000)', 'c'),
      ],
      says('Done.'),
    ],
    { toolList, executor, maxResultBytes: 1000 },
  );
  await orchestrator.run('Do all.');
  const paths = results(1).map(({ text }) => /is in (\S+): /.exec(text)?.[1]);
  expect(new Set(paths)).toEqual(
    new Set([1, 2, 3].map((number) => `/tmp/full-output/${number}.txt`)),
  );
});
