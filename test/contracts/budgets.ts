import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../src/shared/deferred.ts';
import { useBench, type Subject } from './subject.ts';

/** What one run may ask of its host. */
export function describeBudgets(subject: Subject): void {
  describe('budgets', () => {
    const hung: AbortSignal[] = [];
    const met = createDeferred<void>();
    let running = 0;
    let mostRunning = 0;
    const { run, print } = useBench(subject, {
      budgets: {
        toolCalls: 20,
        concurrentToolCalls: 3,
        receivedBytes: 200_000,
        sentBytes: 100_000,
      },
      toolList: [
        {
          name: 'meet',
          description: 'Waits until three have come, and counts how many are there at a time.',
          run: async () => {
            running += 1;
            mostRunning = Math.max(mostRunning, running);
            if (running === 3) met.resolve();
            await met.promise;
            await nextTurn();
            running -= 1;
          },
        },
        { name: 'look', description: 'Gives 1.', run: () => 1 },
        {
          name: 'hang',
          description: 'Never answers, and ignores its signal.',
          run: async (_input, { signal }) => {
            hung.push(signal);
            await new Promise(() => {});
          },
        },
        { name: 'page', description: 'Gives 60 kB.', run: () => 'x'.repeat(60_000) },
        {
          name: 'store',
          description: 'Takes text.',
          inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
          run: () => null,
        },
      ],
    });
    const passed = (limit: string, status: string): object => ({
      status,
      success: false,
      sessionOpen: true,
      error: { message: expect.stringContaining(limit), line: 3 },
    });

    it('more calls at a time than the budget wait for each other', async () => {
      await print('import asyncio\n_ = await asyncio.gather(*(meet() for _ in range(20)))');
      expect(mostRunning).toBe(3);
    });

    it('calls that their program gives up end, and give their places free', async () => {
      const code = `import asyncio
async def attempt():
    try:
        await asyncio.wait_for(hang(), 0.05)
    except asyncio.TimeoutError:
        return "gave up"
print(set(await asyncio.gather(*(attempt() for _ in range(5)))))
print(await look())`;
      expect(await print(code)).toBe("{'gave up'}\n1\n");
      expect(hung.length).toBeGreaterThanOrEqual(3);
      expect(hung.every((signal) => signal.aborted)).toBe(true);
    });

    it('a run that makes more calls than its budget is stopped, and its state stays', async () => {
      await print('made = 0');
      const result = await run('import asyncio\nwhile True:\n    await look(); made += 1');
      expect(result).toMatchObject(passed('limit of 20 (toolCalls)', 'calls'));
      expect(await print('print(made)')).toBe('20\n');
    });

    it('a run that sends more bytes than its budget is stopped', async () => {
      const result = await run('text = "x" * 50_000\nwhile True:\n    await store(text=text)');
      expect(result).toMatchObject(passed('limit of 200000 (receivedBytes)', 'output'));
    });

    it('a run whose results take more bytes than its budget is stopped', async () => {
      const result = await run('pages = []\nwhile True:\n    pages.append(await page())');
      expect(result).toMatchObject(passed('limit of 100000 (sentBytes)', 'calls'));
      expect(await print('print(len(pages))')).toBe('1\n');
    });

    it('a program that catches what stops it, and calls on, is ended with its session', async () => {
      const { status, sessionOpen } = await run(
        'while True:\n    try:\n        await look()\n    except BaseException:\n        pass',
      );
      expect({ status, sessionOpen }).toEqual({ status: 'calls', sessionOpen: false });
      expect(await print('print("next")')).toBe('next\n');
    });
  });
}
