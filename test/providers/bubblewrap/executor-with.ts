import { bubblewrapProvider } from '../../../src/providers/bubblewrap/bubblewrap-provider.ts';
import type { BubblewrapProviderOptions } from '../../../src/providers/bubblewrap/interpreters/options.ts';
import type { LanguageName } from '../../../src/protocol/messages.ts';
import type { SandboxExecutor } from '../../../src/sessions/sandbox-executor.ts';
import { executorFor } from '../../support/executor-for.ts';

/** An executor for one test, whose programs run with these interpreters. */
export function executorWith(
  options: BubblewrapProviderOptions,
  languages: readonly LanguageName[] = ['python'],
): SandboxExecutor {
  return executorFor(bubblewrapProvider(options), { languages });
}
