import { expect, it } from 'vitest';
import { useBench } from '../../../support/bench.ts';

const { print, run } = useBench({ languages: ['javascript'] });

it('a program that computes without end as it ends is interrupted', async () => {
  expect(await run('process.on("exit", () => { for (;;); });', { timeoutMs: 300 })).toMatchObject({
    status: 'timeout',
    sessionOpen: true,
  });
  expect(await print('console.log("next")')).toBe('next\n');
});
