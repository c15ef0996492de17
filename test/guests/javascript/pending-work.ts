import assert from 'node:assert/strict';
import { printed, stoppedAt } from '../../../src/testing/stopped-at.ts';
import { assertMatches } from '../../../src/testing/assert-matches.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';
import { double } from '../../../src/testing/toolbox.ts';

/** A program in JavaScript ends when Node would end: when nothing remains that could continue it. */
export function pendingWork(): TestGroup {
  return {
    name: 'pending work',
    options: {
      languages: ['javascript'],
      tools: [
        double,
        {
          name: 'never',
          description: 'Never answers.',
          run: async (_input, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason));
            }),
        },
      ],
    },
    tests: [
      test('a program waits for all that it started', async (bench) => {
        const code = `
const first = (async () => console.log('assigned', await double({ x: 1 })))();
[2, 3].forEach(async (x) => console.log('each', await double({ x })));
setTimeout(() => double({ x: 4 }).then((result) => console.log('later', result)), 5);
let ticks = 0;
const interval = setInterval(() => { if (++ticks === 3) { clearInterval(interval); console.log('ticks'); } }, 1);
console.log('end');`;
        const { status, stdout, stderr } = await bench.runOnce(code);
        assert.deepEqual({ status, stderr }, { status: 'ok', stderr: '' });
        assert.match(stdout, /^end\n/);
        assert.deepEqual(
          stdout.split('\n').sort(),
          ['', 'assigned 2', 'each 4', 'each 6', 'end', 'later 8', 'ticks'].sort(),
        );
      }),
      test('a program does not wait after process.exit', async (bench) => {
        await bench.run(
          'setTimeout(() => console.log("late"), 1); [1].forEach(() => never({}));\ntry { process.exit(0) } catch {}',
        );
        assert.equal(
          await bench.print('await new Promise((done) => setTimeout(done, 30)); "quiet"'),
          'quiet\n',
        );
      }),
      test('a timer is ended by its number, without a search among all timers', async (bench) => {
        const code = `
const [first, second, third] = [setTimeout(() => {}, 1e6), setInterval(() => {}, 1e6), setTimeout(() => {}, 1e6)];
const prototype = Object.getPrototypeOf(first);
const { [Symbol.toPrimitive]: numberOf } = prototype;
const [number, text] = [Number(first), String(Number(second))];
// The number of a timer that has fired is still the same.
const again = setTimeout(() => { const known = Number(again); again.refresh(); clearTimeout(known); }, 1);
await new Promise((done) => setTimeout(done, 5));
let asked = 0;
prototype[Symbol.toPrimitive] = function () { asked += 1; return numberOf.call(this); };
for (const none of [undefined, 1e9, 'none', number, text]) clearTimeout(none);
console.log(asked);
clearTimeout(third);`;
        assertMatches(await bench.runOnce(code), { status: 'ok', stdout: '0\n', stderr: '' });
      }),
      test('signals and waits for shared memory end with their program', async (bench) => {
        const code = `
const late = () => { console.log('late'); void double({ x: 1 }); throw new Error('late'); };
AbortSignal.timeout(20).onabort = late;
AbortSignal.any([AbortSignal.timeout(20)]).addEventListener('abort', late);
const word = new Int32Array(new SharedArrayBuffer(4));
for (const timeout of [20, Infinity]) void Atomics.waitAsync(word, 0, 0, timeout).value.then(late);
process.exit();`;
        await bench.run(code);
        const next = await bench.run(
          'Atomics.notify(word, 0); await new Promise((done) => setTimeout(done, 60)); "quiet"',
        );
        assertMatches(next, { status: 'ok', stdout: 'quiet\n', stderr: '', toolCalls: 0 });
      }),
      test('signals and waits for shared memory continue their own program', async (bench) => {
        const code = `
const told = [];
const signal = AbortSignal.timeout(1);
await new Promise((done) => {
  AbortSignal.any([signal]).onabort = () => told.push('any');
  signal.onabort = () => { told.push(signal.reason.name, signal.reason instanceof DOMException, signal instanceof AbortSignal); };
  // Such a signal alone keeps no program waiting.
  const timer = setInterval(() => { if (told.length === 4) { clearInterval(timer); done(); } }, 1);
});
const memory = new Int32Array(new SharedArrayBuffer(4));
const woken = Atomics.waitAsync(memory, 0, 0);
Atomics.notify(memory, 0);
console.log(told.sort().join(' '), woken.async, await woken.value, Atomics.waitAsync(memory, 0, 1).value);
console.log(AbortSignal.timeout.name, AbortSignal.timeout.length, Atomics.waitAsync.name, Atomics.waitAsync.length);`;
        assertMatches(await bench.run(code), {
          status: 'ok',
          stdout: 'TimeoutError any true true true ok not-equal\ntimeout 1 waitAsync 4\n',
          stderr: '',
        });
      }),
      test('a program does not wait for a signal or a timer that keeps nothing running', async (bench) => {
        const code = `
AbortSignal.timeout(1e6).onabort = () => console.log('late');
const repeat = () => void (AbortSignal.timeout(1).onabort = repeat);
repeat();
setInterval(() => {}, 1).unref();
undefined;`;
        assertMatches(await bench.run(code), { status: 'ok', stdout: '', stderr: '' });
      }),
      test(
        'a program ends as soon as nothing can settle the promise that it waits for',
        async (bench) => {
          const warning = /^Warning: the program ended while it waited for a promise that nothing/;
          const awaited = await bench.run('console.log("on");\nawait new Promise(() => {});', {
            timeoutMs: 600_000,
          });
          assertMatches(awaited, {
            status: 'error',
            exitCode: 13,
            stdout: 'on\n',
            stderr: warning,
          });
          const last = await bench.run(
            'async function main() { await new Promise(() => {}); }\nmain();',
            {
              timeoutMs: 600_000,
            },
          );
          assertMatches(last, { status: 'ok', stderr: warning });
        },
        { needs: 'pending callbacks', neverWithout: true },
      ),
      test('a program that starts very much without awaiting it has memory for it', async (bench) => {
        const code = `
async function fill(i) { return new Array(125_000).fill(i); }
for (let i = 0; i < 1000; i += 1) { fill(i); if (i % 10 === 0) await null; }
console.log('done');`;
        assertMatches(await bench.runOnce(code), { status: 'ok', stdout: 'done\n' });
      }),
      test('a program waits for a timer that refreshes itself', async (bench) => {
        const code = `
let rounds = 0;
const timer = setTimeout(() => {
  console.log(++rounds);
  if (rounds === 4) return;
  timer.refresh();
  // Its result arrives before the timer is due again.
  double({ x: rounds });
}, 100);`;
        assertMatches(await bench.runOnce(code), { status: 'ok', stdout: '1\n2\n3\n4\n' });
      }),
      test('a program does not wait for a timer that it has closed', async (bench) => {
        const code = `
setTimeout(() => console.log('last'), 1);
const timer = setTimeout(() => {}, 1e6);
timer.close();
const again = timer.refresh();`;
        assertMatches(await bench.run(code), {
          status: 'ok',
          stdout: 'last\n',
        });
      }),
      test('a call that ended with its program has failed for a later program', async (bench) => {
        const code = 'const call = never({}), other = never({});\nsetImmediate(() => null.a);';
        assertMatches(await bench.run(code), { status: 'error', error: { type: 'TypeError' } });
        const next = await bench.run(
          'try { await call } catch (error) { console.log(error.type, error instanceof ToolError) }',
          { timeoutMs: 600_000 },
        );
        assertMatches(next, { status: 'ok', stdout: 'Cancelled true\n', stderr: '' });
        const last = await bench.run('await call', { timeoutMs: 600_000 });
        assertMatches(last, { status: 'error', error: { type: 'ToolError' } });
      }),
      test(
        'a program that the time limit ends names what it waited for',
        async (bench) => {
          const code = `
setInterval(() => {}, 1e5);
const refreshed = setTimeout(() => { refreshed.refresh(); console.log('tick'); }, 50);
setTimeout(() => {}, 1e6);
setTimeout(() => {}, 1e6).unref();
setTimeout(() => {}, 1e6).close();
setTimeout(() => {}, 1e6).close();
[1].forEach(() => never({}));`;
          const result = await stoppedAt(printed('tick'), async (timeoutMs) =>
            bench.run(code, { timeoutMs }),
          );
          assertMatches(result, {
            status: 'timeout',
            sessionOpen: true,
            stderr:
              'Warning: the statements of the program were done, and it still waited for: an interval, 2 timers, a tool call\n',
          });
          assert.equal(
            await bench.print('await new Promise((done) => setTimeout(done, 30)); "quiet"'),
            'quiet\n',
          );
        },
        { needs: 'interrupt', neverWithout: true },
      ),
    ],
  };
}
