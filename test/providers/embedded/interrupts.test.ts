import { expect, it } from 'vitest';
import { embeddedProvider } from '../../../src/providers/embedded/embedded-provider.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';

/** Of a hundred interrupts about one met the engine just as it looked for them. */
const TIMES = 600;

it('a program that computes is stopped every time, and its session stays', async () => {
  const provider = embeddedProvider();
  await using executor = new SandboxExecutor({ provider });
  const session = await executor.acquire();
  await session.execute('turns = 0');
  for (let turn = 0; turn < TIMES; turn += 1) {
    const result = await session.execute('turns += 1\nwhile True: pass', {
      timeoutMs: 5,
    });
    expect(result, `turn ${turn}`).toMatchObject({ status: 'timeout', sessionOpen: true });
  }
  await provider.close();
});
