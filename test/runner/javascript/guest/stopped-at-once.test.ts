import { expect, it } from 'vitest';
import { SandboxExecutor } from '../../../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../../../support/local-provider.ts';

it('has its session go on where the first program is stopped while the runner loads [case 124]', async () => {
  const sandbox = unisolatedLocalProvider();
  await using executor = new SandboxExecutor({ provider: sandbox, languages: ['javascript'] });
  for (let timeoutMs = 40; timeoutMs <= 120; timeoutMs += 20) {
    const session = await executor.acquire();
    const stopped = await session.execute(
      'setInterval(() => {}, 1e6);\nawait new Promise(() => {})',
      { timeoutMs },
    );
    expect(stopped).toMatchObject({ status: 'timeout', sessionOpen: true });
    const next = await session.execute("console.log('next')");
    expect(next).toMatchObject({ status: 'ok', stdout: 'next\n' });
    await session.destroy();
  }
});
