import assert from 'node:assert/strict';
import { heldSteps } from '../held-steps.ts';
import { test, type TestGroup } from '../../../src/testing/test-definition.ts';

/** When the guests for JavaScript say that a held program waits. */
export function javascriptHeld(): TestGroup {
  return {
    name: 'held programs in JavaScript',
    options: { languages: ['javascript'] },
    tests: [
      test('calls that wait together are one wait, and each answer lets one go on', async (bench) => {
        const code = `
const twice = async (x) => look({ x: await look({ x }) });
console.log(await Promise.all([1, 2, 3].map(twice)));`;
        const { waits, result } = await heldSteps(bench, code, 1);
        assert.deepEqual(waits, [[1, 2, 3], [2, 3, 10], [3, 10, 20], [10, 20, 30], [20, 30], [30]]);
        assert.equal(result.stdout, '[ 100, 200, 300 ]\n');
      }),
      test('a program that goes on after a call does not wait yet', async (bench) => {
        const code = `
const first = look({ x: 1 });
for (let turn = 0; turn < 100; turn += 1) await null;
await new Promise((resolve) => setImmediate(resolve));
await new Promise((resolve) => queueMicrotask(resolve));
const second = look({ x: 2 });
console.log(await first + await second);`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(waits, [[1, 2]]);
        assert.equal(result.stdout, '30\n');
      }),
      test('a program that waits for calls and a timer waits', async (bench) => {
        const code = `
let timer;
const elapsed = new Promise((resolve) => (timer = setTimeout(resolve, 3_600_000)));
console.log(await Promise.race([elapsed, look({ x: 1 })]));
clearTimeout(timer);`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(waits, [[1]]);
        assert.equal(result.stdout, '10\n');
      }),
      test('calls come out although the program has started what the guest does not know', async (bench) => {
        const code = `
const digest = crypto.subtle.digest('SHA-256', new Uint8Array(1000)).then(() => look({ x: 2 }));
console.log(await Promise.all([look({ x: 1 }), digest]));
console.log(await look({ x: 3 }));`;
        const { waits, result } = await heldSteps(bench, code);
        assert.deepEqual(new Set(waits.flat()), new Set([1, 2, 3]));
        assert.equal(result.stdout, '[ 10, 20 ]\n30\n');
      }),
      test('the next program, which is not held, says nothing', async (bench) => {
        const code = 'console.log(await Promise.all([look({ x: 1 }), look({ x: 2 })]));';
        await heldSteps(bench, code);
        const tools = [
          {
            name: 'look',
            description: 'Looks.',
            inputSchema: { type: 'object', properties: { x: { type: 'integer' } } },
            run: (input: unknown) => (input as { x: number }).x,
          } as const,
        ];
        const result = await bench.run(code, { tools });
        assert.deepEqual([result.status, result.stdout], ['ok', '[ 1, 2 ]\n']);
      }),
    ],
  };
}
