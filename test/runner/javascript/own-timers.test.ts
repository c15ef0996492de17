import { expect, it } from 'vitest';
import { printed, stoppedAt } from '../../../src/testing/stopped-at.ts';
import { useBench } from '../../support/bench.ts';

const bench = useBench({ languages: ['javascript'] });

it('tells of no timer that only Node has set, and of those of the program', async () => {
  const failing = "await fetch('http://nowhere.invalid/').catch(({ message }) => message)";
  const failed = await bench.run(failing);
  expect(failed).toMatchObject({ stdout: "'fetch failed'\n", stderr: '' });
  const code = `setInterval(() => {}, 1e6); ${failing}.then(console.log)`;
  const both = await stoppedAt(printed('fetch failed'), async (timeoutMs) =>
    bench.run(code, { timeoutMs }),
  );
  expect(both.stderr).toMatch(/^Warning: [^:]*: an interval\n$/);
});

it('leaves stacks of errors as the program wants them', async () => {
  const program =
    'Error.stackTraceLimit = 3; Error.prepareStackTrace = () => "own"; clearTimeout(setTimeout(() => {}, 9)); [Error.stackTraceLimit, new Error("a").stack]';
  expect(await bench.print(program)).toBe("[ 3, 'own' ]\n");
  await bench.executor.closeAllSessions();
});
