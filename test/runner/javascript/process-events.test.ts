import { expect, it } from 'vitest';
import { useBench } from '../../contracts/subject.ts';
import { nodeSubject } from './node-subject.ts';

const { print, run } = useBench(nodeSubject, { languages: ['javascript'] });

it('a program that computes without end as it ends is interrupted', async () => {
  expect(await run('process.on("exit", () => { for (;;); });', { timeoutMs: 300 })).toMatchObject({
    status: 'timeout',
    sessionOpen: true,
  });
  expect(await print('console.log("next")')).toBe('next\n');
});
