import { expect, it } from 'vitest';
import { kubernetesProvider } from '../../src/providers/kubernetes/index.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { describeWithEngine } from '../support/engine.ts';
import { useNamespace } from './installed.ts';

const MIB = 1024 * 1024;
const HELD_BYTES = 64 * MIB;

describeWithEngine('the memory of a pod', () => {
  const namespaceOf = useNamespace();

  it('is what its programs use, and is told while one of them takes all processor time', async () => {
    const provider = kubernetesProvider({ namespace: namespaceOf() });
    const executor = new SandboxExecutor({ provider });
    const session = await executor.acquire({});
    await session.execute('held = None');
    const before = (await session.info())?.memoryBytes ?? 0;
    expect(before).toBeGreaterThan(MIB);
    const stopping = new AbortController();
    let during: number | undefined;
    let asking: Promise<void> | undefined;
    const ask = async (): Promise<void> => {
      during = (await session.info())?.memoryBytes;
      stopping.abort();
    };
    await session.execute(
      `held = bytearray(${HELD_BYTES})\nprint('held', flush=True)\nwhile True: pass`,
      {
        signal: stopping.signal,
        onEvent: ({ type }) => {
          if (type === 'output-delta') asking ??= ask();
        },
      },
    );
    await asking;
    expect(during).toBeGreaterThan(before + HELD_BYTES / 2);
    expect(during).toBeLessThan(256 * MIB);
    await executor.close();
    await provider.close();
  });
});
