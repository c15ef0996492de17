import { expect, it } from 'vitest';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../support/local-provider.ts';

it('has its session go on where the first program is stopped while the runner loads', async () => {
  const sandbox = unisolatedLocalProvider();
  await using executor = new SandboxExecutor({ sandbox, languages: ['javascript'] });
  for (let timeoutMs = 40; timeoutMs <= 120; timeoutMs += 20) {
    const stopped = await executor.execute(
      'setInterval(() => {}, 1e6);\nawait new Promise(() => {})',
      {
        reuseSession: true,
        timeoutMs,
      },
    );
    expect(stopped).toMatchObject({ status: 'timeout', sessionOpen: true });
    const { sessionId } = stopped;
    const next = await executor.execute("console.log('next')", { sessionId });
    expect(next).toMatchObject({ status: 'ok', stdout: 'next\n' });
    await executor.closeSession(sessionId);
  }
});
