import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { stoppedAt } from '../../../src/testing/stopped-at.ts';

describe('between the programs of a session in the embedded sandbox', () => {
  let executor: SandboxExecutor;
  beforeAll(() => {
    executor = new SandboxExecutor({ provider: embeddedProvider(), languages: ['javascript'] });
  });
  afterAll(async () => executor.close());

  it('nothing runs that a program has left [embedded/blocked]', async () => {
    const left = `
      let last = performance.now();
      globalThis.longestPause = 0;
      globalThis.turns = 0;
      const turn = () => {
        const now = performance.now();
        longestPause = Math.max(longestPause, now - last);
        last = now;
        turns += 1;
      };
      const { setInterval: every } = await import('timers/promises');
      // In functions that give nothing: for the promises of its statements a program waits.
      (() => void (async () => { for await (const _ of every(1)) turn(); })())();
      const word = new Int32Array(new SharedArrayBuffer(4));
      const again = () => { turn(); void Atomics.waitAsync(word, 0, 0, 1).value.then(again); };
      again();
      const repeat = () => { turn(); AbortSignal.timeout(1).addEventListener('abort', repeat); };
      repeat();`;
    const session = await executor.acquire();
    const { status } = await session.execute(left);
    expect(status).toBe('ok');
    // Long enough for hundreds of turns; that nothing happens is not an event.
    await delay(500);
    const next = `
      const before = turns;
      while (turns === before) await new Promise((resolve) => setTimeout(resolve, 1));
      console.log(longestPause);`;
    const { stdout } = await session.execute(next);
    expect(Number(stdout)).toBeGreaterThan(490);
  });

  it('what a program has left unhandled fails none but itself', async () => {
    const left = `setTimeout(() => {}, 0); queueMicrotask(() => Promise.reject(new Error('left'))); process.exit(0)`;
    const session = await executor.acquire();
    await session.execute(left);
    for (let run = 0; run < 10; run += 1) {
      const { status, error } = await session.execute('1');
      expect([status, error]).toEqual(['ok', undefined]);
      await session.execute(left);
    }
  });

  it('a program that continues after process.exit has not ended [embedded/waiting-guest, embedded/real-end]', async () => {
    const code = 'try { process.exit(0); } catch { for (;;); }';
    // If it is stopped earlier than that, its session may remain.
    const { status, sessionOpen } = await stoppedAt(
      (result) => !result.sessionOpen,
      async (timeoutMs) => executor.execute(code, { timeoutMs }),
    );
    expect([status, sessionOpen]).toEqual(['timeout', false]);
  });
});
