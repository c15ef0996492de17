import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';

describe('between the programs of a session in the embedded sandbox', () => {
  let executor: SandboxExecutor;
  beforeAll(() => {
    executor = new SandboxExecutor({ provider: embeddedProvider(), languages: ['javascript'] });
  });
  afterAll(async () => executor.close());

  it('nothing runs that a program has left', async () => {
    const left = `
      globalThis.turns = 0;
      const { setInterval: every } = await import('timers/promises');
      // In functions that give nothing: for the promises of its statements a program waits.
      (() => void (async () => { for await (const _ of every(1)) turns += 1; })())();
      const word = new Int32Array(new SharedArrayBuffer(4));
      const again = () => { turns += 1; void Atomics.waitAsync(word, 0, 0, 1).value.then(again); };
      again();
      const repeat = () => { turns += 1; AbortSignal.timeout(1).addEventListener('abort', repeat); };
      repeat();
      turns = 0;`;
    const session = await executor.acquire();
    const { status } = await session.execute(left);
    expect(status).toBe('ok');
    // Long enough for hundreds of turns; that nothing happens is no event.
    await delay(500);
    const { stdout } = await session.execute('console.log(turns)');
    expect(Number(stdout)).toBeLessThan(100);
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

  it('a program that continues after process.exit has not ended', async () => {
    const code = 'try { process.exit(0); } catch { for (;;); }';
    const { status, sessionOpen } = await executor.execute(code, { timeoutMs: 500 });
    expect([status, sessionOpen]).toEqual(['timeout', false]);
  });
});
