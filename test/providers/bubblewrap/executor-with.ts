import { onTestFinished } from 'vitest';
import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import type { BubblewrapProviderOptions } from '../../../src/providers/bubblewrap/interpreters/options.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';

/** An executor for one test, whose programs run with these interpreters. */
export function executorWith(
  options: BubblewrapProviderOptions,
  languages: readonly LanguageName[] = ['python'],
): SandboxExecutor {
  const provider = bubblewrapProvider(options);
  const executor = new SandboxExecutor({ provider, languages });
  onTestFinished(async () => {
    await executor.close();
    await provider.close();
  });
  return executor;
}
