import { onTestFinished } from 'vitest';
import type { SandboxProvider } from '../../src/sandbox/sandbox.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { LONGEST_PROGRAM_MS } from '../../src/testing/bench.ts';

/**
 * An executor for one test, with a provider that is made for it. Both are closed after the test: an open provider keeps what
 * its next sandbox would need.
 */
export function executorFor(
  provider: SandboxProvider,
  options: Omit<SandboxExecutorOptions, 'provider'> = {},
): SandboxExecutor {
  const executor = new SandboxExecutor({
    programTimeoutMs: LONGEST_PROGRAM_MS,
    sandboxStartTimeoutMs: LONGEST_PROGRAM_MS,
    ...options,
    provider,
  });
  onTestFinished(async () => {
    await executor.close();
    await provider.close();
  });
  return executor;
}
