import { describe, expect } from 'vitest';
import { printed, stoppedAt } from '../support/time-limit.ts';
import { itNeeds, useBench, type Subject } from './subject.ts';

/** A run of JavaScript ends when Node would end: when nothing is left that could go on with the program. */
export function describePendingWork(subject: Subject): void {
  describe('what a program of JavaScript has started', () => {
    const { print, run, runOnce } = useBench(subject, {
      languages: ['javascript'],
      toolList: [
        {
          name: 'double',
          description: 'Doubles a number.',
          inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
          run: (input) => (input as { x: number }).x * 2,
        },
        {
          name: 'never',
          description: 'Never answers.',
          run: async (_input, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason));
            }),
        },
      ],
    });

    itNeeds('JavaScript', subject, 'is waited for, whatever it is', async () => {
      const code = `
const first = (async () => console.log('assigned', await double({ x: 1 })))();
[2, 3].forEach(async (x) => console.log('each', await double({ x })));
setTimeout(() => double({ x: 4 }).then((result) => console.log('later', result)), 5);
let ticks = 0;
const interval = setInterval(() => { if (++ticks === 3) { clearInterval(interval); console.log('ticks'); } }, 1);
console.log('end');`;
      const { status, stdout, stderr } = await runOnce(code);
      expect({ status, stderr }).toEqual({ status: 'ok', stderr: '' });
      expect(stdout).toMatch(/^end\n/);
      expect(stdout.split('\n').sort()).toEqual(
        ['', 'assigned 2', 'each 4', 'each 6', 'end', 'later 8', 'ticks'].sort(),
      );
    });

    itNeeds('JavaScript', subject, 'is not waited for after process.exit', async () => {
      await run(
        'setTimeout(() => console.log("late"), 1); [1].forEach(() => never({}));\ntry { process.exit(0) } catch {}',
      );
      expect(await print('await new Promise((done) => setTimeout(done, 30)); "quiet"')).toBe(
        "'quiet'\n",
      );
    });

    itNeeds('pending callbacks', subject, 'is waited for inside of Node too', async () => {
      const code = `
require('zlib').gzip('x', (_, bytes) => console.log('gzip', bytes.length));
require('crypto').pbkdf2('a', 'b', 1, 16, 'sha1', (_, key) => console.log('pbkdf2', key.length));
require('dns').lookup('localhost', () => console.log('lookup'));
require('http').get('http://127.0.0.1:9/').on('error', () => console.log('no answer'));
const { port1, port2 } = new MessageChannel();
port2.on('message', (text) => { console.log(text); port2.close(); });
port1.postMessage('message');
console.log('end');`;
      const { status, stdout, stderr } = await runOnce(code);
      expect({ status, stderr }).toEqual({ status: 'ok', stderr: '' });
      expect(stdout.split('\n').sort()).toEqual(
        ['', 'end', 'gzip 21', 'lookup', 'message', 'no answer', 'pbkdf2 16'].sort(),
      );
    });

    itNeeds(
      'pending callbacks',
      subject,
      'ends the run as soon as nothing can settle it',
      async () => {
        const warning = /^Warning: the program ended while it waited for a promise that nothing/;
        const awaited = await run('console.log("on");\nawait new Promise(() => {});', {
          timeoutMs: 600_000,
        });
        expect(awaited).toMatchObject({
          status: 'error',
          exitCode: 13,
          stdout: 'on\n',
          stderr: expect.stringMatching(warning),
        });
        const last = await run('async function main() { await new Promise(() => {}); }\nmain();', {
          timeoutMs: 600_000,
        });
        expect(last).toMatchObject({ status: 'ok', stderr: expect.stringMatching(warning) });
      },
    );

    itNeeds(
      'pending callbacks',
      subject,
      'has failed for a later run if it was a call that ended with its own',
      async () => {
        const code = 'const call = never({}), other = never({});\nsetImmediate(() => null.a);';
        expect(await run(code)).toMatchObject({ status: 'error', error: { type: 'TypeError' } });
        const next = await run(
          'try { await call } catch (error) { console.log(error.type, error instanceof ToolError) }',
        );
        expect(next).toMatchObject({ status: 'ok', stdout: 'Cancelled true\n', stderr: '' });
        const last = await run('await call', { timeoutMs: 600_000 });
        expect(last).toMatchObject({ status: 'error', error: { type: 'ToolError' } });
      },
    );

    itNeeds('interrupts of JavaScript', subject, 'is named if the time limit ends it', async () => {
      const code = `
setInterval(() => console.log('tick'), 1);
setTimeout(() => {}, 1e6);
setTimeout(() => {}, 1e6).unref();
[1].forEach(() => never({}));`;
      const result = await stoppedAt(printed('tick'), async (timeoutMs) =>
        run(code, { timeoutMs }),
      );
      expect(result).toMatchObject({
        status: 'timeout',
        sessionOpen: true,
        stderr:
          'Warning: the statements of the program were done, and it still waited for: an interval, a timer, a tool call\n',
      });
      expect(await print('await new Promise((done) => setTimeout(done, 30)); "quiet"')).toBe(
        "'quiet'\n",
      );
    });
  });
}
