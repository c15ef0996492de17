import type { LanguageName } from '../protocol/messages.ts';
import {
  describeUnavailable,
  selectProvider,
  type ProviderName,
} from '../providers/select-provider.ts';
import type { ProgressListener, SandboxProvider } from '../sandbox/sandbox.ts';
import { PtcError } from '../shared/errors.ts';

/** Which sandbox the user asked for. */
export type SandboxName = 'auto' | ProviderName;

/** Letting go of it closes the provider, not its sandboxes. */
export interface OpenedSandbox extends AsyncDisposable {
  readonly provider: SandboxProvider;
  /** Such as `docker (Docker 28.2.2)`. */
  readonly description: string;
}

/**
 * Finds the sandbox and tries it, so that one that is missing is told before a model is asked.
 * @param languages - What programs will be written in. @default any
 * @param signal - Ends the search, and what an engine prepares for it.
 * @throws PtcError `SANDBOX_UNAVAILABLE`, with the reason and the remedy; `ABORTED`.
 */
export async function openSandbox(
  name: SandboxName,
  onProgress: ProgressListener,
  languages: readonly LanguageName[] = [],
  signal?: AbortSignal,
): Promise<OpenedSandbox> {
  const provider = await selectProvider(name, { languages, onProgress, signal });
  const availability = await provider.probe();
  if (availability.usable) {
    return {
      provider,
      description: `${provider.name} (${availability.description})`,
      [Symbol.asyncDispose]: () => provider.close(),
    };
  }
  await provider.close();
  throw new PtcError('SANDBOX_UNAVAILABLE', describeUnavailable(provider.name, availability));
}
