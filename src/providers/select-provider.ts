import { PtcError } from '../shared/errors.ts';
import type { Availability, ProgressListener, SandboxProvider } from '../sandbox/sandbox.ts';

/** The providers that come with the package, best first. */
export const PROVIDER_NAMES = ['docker', 'bubblewrap', 'embedded'] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Which sandbox to use: the best that works here, one by name, or one of your own. */
export type SandboxChoice = 'auto' | ProviderName | SandboxProvider;

/** Makes the provider of this name. Its engine's client is loaded only now. */
export async function loadProvider(
  name: ProviderName,
  onProgress?: ProgressListener,
): Promise<SandboxProvider> {
  const options = onProgress ? { onProgress } : {};
  if (name === 'docker') {
    const { dockerProvider } = await import('./docker/docker-provider.ts');
    return dockerProvider(options);
  }
  if (name === 'bubblewrap') {
    const { bubblewrapProvider } = await import('./bubblewrap/bubblewrap-provider.ts');
    return bubblewrapProvider();
  }
  const { embeddedProvider } = await import('./embedded/embedded-provider.ts');
  return embeddedProvider(options);
}

/**
 * Finds the provider to use. `auto` takes the first that really works on this machine; none of
 * them runs code outside a sandbox.
 * @throws PtcError `SANDBOX_UNAVAILABLE` where none works, with the reason and the remedy for each.
 */
export async function selectProvider(
  choice: SandboxChoice,
  onProgress?: ProgressListener,
): Promise<SandboxProvider> {
  if (typeof choice !== 'string') return choice;
  if (choice !== 'auto') return loadProvider(knownName(choice), onProgress);
  const failures: string[] = [];
  for (const name of PROVIDER_NAMES) {
    const provider = await loadProvider(name, onProgress);
    const availability = await provider.probe();
    if (availability.usable) {
      onProgress?.(`Sandbox: ${availability.description}`);
      return provider;
    }
    failures.push(describeUnavailable(name, availability));
    await provider.close();
  }
  throw new PtcError(
    'SANDBOX_UNAVAILABLE',
    `No sandbox works on this machine.\n${failures.join('\n')}`,
  );
}

/** One line on why a provider cannot be used, and what to do. */
export function describeUnavailable(
  name: string,
  availability: Extract<Availability, { usable: false }>,
): string {
  return `${name}: ${availability.reason}. ${availability.remedy}`;
}

function knownName(name: string): ProviderName {
  const known = PROVIDER_NAMES.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  throw new PtcError(
    'OPTION_INVALID',
    `There is no sandbox named ${JSON.stringify(name)}. Use auto, ${PROVIDER_NAMES.join(' or ')}.`,
  );
}
