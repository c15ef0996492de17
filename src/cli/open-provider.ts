import type { LanguageName } from '../protocol/messages.ts';
import {
  describeUnavailable,
  type ProviderChoice,
  selectProvider,
  type ProviderName,
} from '../providers/select-provider.ts';
import type { ProgressListener, SandboxProvider } from '../sandbox/sandbox.ts';
import { unlessAborted } from '../shared/async/abort.ts';
import { PtcError } from '../shared/errors.ts';

/** The provider names that the user can choose. */
export type ProviderOption = 'auto' | ProviderName;

/** Disposing it closes the provider, but not its sandboxes. */
export interface OpenedProvider extends AsyncDisposable {
  readonly provider: SandboxProvider;
  /** A description such as `docker (Docker 28.2.2)`. */
  readonly description: string;
}

/**
 * Finds the provider and tries it, so that a missing one is reported before a model is asked.
 * @param choice - A provider object is closed too.
 * @param languages - The languages of the programs. @default any
 * @param signal - Aborts the search and the preparation.
 * @throws PtcError `SANDBOX_UNAVAILABLE` with the reason and the remedy; `ABORTED`.
 */
export async function openProvider(
  choice: ProviderChoice,
  onProgress: ProgressListener,
  languages: readonly LanguageName[] = [],
  signal?: AbortSignal,
): Promise<OpenedProvider> {
  const provider = await selectProvider(choice, { languages, onProgress, signal });
  try {
    const probed = provider.probe(signal && { signal });
    const availability = await unlessAborted(probed, signal, 'The check of the provider');
    if (!availability.usable) {
      throw new PtcError('SANDBOX_UNAVAILABLE', describeUnavailable(provider.name, availability));
    }
    return {
      provider,
      description: `${provider.name} (${availability.description})`,
      [Symbol.asyncDispose]: () => provider.close(),
    };
  } catch (error) {
    await provider.close();
    throw error;
  }
}
