import { afterEach } from 'vitest';
import type { SandboxExecutorOptions } from '../../src/sessions/options/executor-options.ts';
import { SandboxExecutor } from '../../src/sessions/sandbox-executor.ts';
import { unisolatedLocalProvider } from '../support/local-provider.ts';
import { LONGEST_PROGRAM_MS } from '../../src/testing/bench.ts';
import { RecordingProvider } from '../../src/testing/recording-provider.ts';

/** An executor, and what it made where it has no provider of the test's. */
export interface Made {
  readonly executor: SandboxExecutor;
  readonly provider: RecordingProvider;
}

/** Gives a maker of executors, which are closed after the test that made them. */
export function useExecutors(): (options?: SandboxExecutorOptions) => Made {
  const executors: SandboxExecutor[] = [];
  afterEach(async () => {
    await Promise.all(executors.splice(0).map((executor) => executor.close()));
  });
  return (options = {}) => {
    const provider = new RecordingProvider(unisolatedLocalProvider());
    const executor = new SandboxExecutor({
      provider,
      sandboxStartTimeoutMs: LONGEST_PROGRAM_MS,
      ...options,
    });
    executors.push(executor);
    return { executor, provider };
  };
}
