import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { useExecutors } from '../sessions/support.ts';

const HOUR_MS = 3_600_000;

describe('the machine’s clock', () => {
  const makeExecutor = useExecutors();
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([HOUR_MS, -HOUR_MS])(
    'that jumps by %d ms ends no session and no run, and gives none more time',
    async (jumpMs) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const jump = (): void => {
        vi.setSystemTime(Date.now() + jumpMs);
      };
      const tool = { name: 'jump', description: 'Sets the clock.', run: jump };
      const { executor } = makeExecutor({
        tools: new ToolRegistry([tool]),
        sessionTimeoutMs: 60_000,
        cleanupIntervalMs: 10,
      });
      const { sessionId } = await executor.execute('kept = 1', { reuseSession: true });
      jump();
      expect(executor.getSession(sessionId)).toBeDefined();
      const during = await executor.execute('await jump()\nprint(kept)', {
        sessionId,
        timeoutMs: 20_000,
      });
      expect(during).toMatchObject({ status: 'ok', stdout: '1\n' });
      const endless = await executor.execute('await jump()\nwhile True: pass', {
        sessionId,
        timeoutMs: 500,
      });
      expect(endless).toMatchObject({ status: 'timeout', sessionOpen: true });
    },
  );
});
