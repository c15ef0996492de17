import { expect, it } from 'vitest';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';

// The runner loads asyncio without ssl, to start sooner. Not among the contracts, for WebAssembly has no ssl.
it('a program can import ssl and use it', async () => {
  await using executor = new SandboxExecutor({ sandbox: unisolatedLocalProvider() });
  const result = await executor.execute(
    'import ssl\nprint(ssl.create_default_context().verify_mode.name)',
  );
  expect(result).toMatchObject({ status: 'ok', stdout: 'CERT_REQUIRED\n' });
});
