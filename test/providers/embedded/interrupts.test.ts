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

it('results that a program did not wait for are not read after its interrupt', async () => {
  const provider = embeddedProvider();
  const large = { name: 'large', description: 'Long.', run: () => 'x'.repeat(3_000_000) };
  await using executor = new SandboxExecutor({ provider, tools: [large] });
  const session = await executor.acquire();
  const code = `
import asyncio, sys
guest, lengths = sys.modules["ptc_runner.guest.guest"], []
decode = guest.decode
def counting(line, markers):
    lengths.append(len(line))
    return decode(line, markers)
guest.decode = counting
calls = [asyncio.create_task(large()) for _ in range(10)]
await asyncio.sleep(0)
while True: pass`;
  expect(await session.execute(code, { timeoutMs: 5000 })).toMatchObject({
    status: 'timeout',
    sessionOpen: true,
  });
  const { value } = await session.execute('len([1 for length in lengths if length > 1_000_000])');
  expect(value).toBeLessThanOrEqual(2);
  await provider.close();
});
