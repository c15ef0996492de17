import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry/registry.ts';
import { stoppedAt } from '../../src/testing/stopped-at.ts';
import { useExecutors } from '../sessions/support.ts';

const HOUR_MS = 3_600_000;

describe('the machine’s clock', () => {
  const makeExecutor = useExecutors();
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([HOUR_MS, -HOUR_MS])(
    'that jumps by %d ms ends no session and no run, and gives none more time [case 90, host/clock]',
    async (jumpMs) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const jump = (): void => {
        vi.setSystemTime(Date.now() + jumpMs);
      };
      const tool = { name: 'jump', description: 'Sets the clock.', run: jump };
      const { executor } = makeExecutor({
        tools: new ToolRegistry([tool]),
        sessionIdleTimeoutMs: 60_000,
        cleanupIntervalMs: 10,
      });
      const session = await executor.acquire();
      await session.execute('kept = 1');
      jump();
      expect(await executor.sessionInfo({ id: session.id })).toBeDefined();
      const during = await session.execute('await jump()\nprint(kept)');
      expect(during).toMatchObject({ status: 'ok', stdout: '1\n' });
      const endless = await stoppedAt(
        ({ toolCalls }) => toolCalls > 0,
        async (timeoutMs) => session.execute('await jump()\nwhile True: pass', { timeoutMs }),
      );
      expect(endless).toMatchObject({ status: 'timeout', sessionOpen: true });
    },
  );
});
