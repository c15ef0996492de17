import { expect, it } from 'vitest';
import { printed, stoppedAt } from '../../../../src/testing/stopped-at.ts';
import { useBench } from '../../../support/bench.ts';

const bench = useBench({ languages: ['javascript'] });

it('tells of no timer that only Node has set, and of those of the program', async () => {
  const failing = "await fetch('http://nowhere.invalid/').catch(({ message }) => message)";
  const failed = await bench.run(failing);
  expect(failed).toMatchObject({ stdout: 'fetch failed\n', stderr: '' });
  const code = `setInterval(() => {}, 1e6); ${failing}.then(console.log)`;
  const both = await stoppedAt(printed('fetch failed'), async (timeoutMs) =>
    bench.run(code, { timeoutMs }),
  );
  expect(both.stderr).toMatch(/^Warning: [^:]*: an interval\n$/);
});

// Node sets an immediate of its own after each error that was handled, as the guest has it do after
// an interrupt.
it.each([
  '',
  'RegExp.prototype.exec = () => "patched";',
  'Array.prototype[Symbol.iterator] = null;',
  'Object.entries = null;',
  'Object.freeze(Error);',
])('tells of no immediate that only Node has set, if the program did this: %s', async (code) => {
  const program = `setInterval(() => {}, 1e6);\nsetTimeout(() => { process.stdout.write('begun'); for (;;); }, 0);\n${code}`;
  const stopped = await stoppedAt(printed('begun'), async (timeoutMs) =>
    bench.runOnce(program, { timeoutMs }),
  );
  expect(stopped).toMatchObject({
    status: 'timeout',
    stderr: expect.stringMatching(/^Warning: [^:]*: an interval\n$/),
  });
});

it('leaves stacks of errors as the program wants them', async () => {
  const program =
    'Error.stackTraceLimit = 3; Error.prepareStackTrace = () => "own"; clearTimeout(setTimeout(() => {}, 9)); [Error.stackTraceLimit, new Error("a").stack]';
  expect(await bench.print(program)).toBe("[ 3, 'own' ]\n");
  await bench.executor.closeAllSessions();
});
