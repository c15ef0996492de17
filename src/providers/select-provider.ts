import type { LanguageName } from '../protocol/messages.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { PtcError, type PtcErrorCode } from '../shared/errors.ts';
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

/** What a provider is chosen for. */
export interface SelectOptions {
  /** What programs are written in. A provider that lacks one of these is chosen only if all others fail. @default any */
  readonly languages?: readonly LanguageName[];
  /** Told which provider `auto` takes, of what its engine prepares, and why it does not take one that answers. */
  readonly onProgress?: ProgressListener | undefined;
  /** Ends the choice and what an engine prepares for it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the provider to use. `auto` takes the first whose engine answers and has what a sandbox needs, that has the
 * languages and bounds memory; or else the first whose engine does. None of them runs code outside a sandbox.
 * @throws PtcError `SANDBOX_UNAVAILABLE` if none works, with the reason and the remedy for each; `ABORTED`.
 */
export async function selectProvider(
  choice: SandboxChoice,
  options: SelectOptions = {},
): Promise<SandboxProvider> {
  if (typeof choice !== 'string') return choice;
  const { onProgress } = options;
  if (choice !== 'auto') return loadProvider(knownName(choice), onProgress);
  return selectBest(async (name) => loadProvider(name, onProgress), options);
}

/** A provider that works, and what speaks against it. */
interface Candidate {
  readonly provider: SandboxProvider;
  readonly description: string;
  readonly weakness: Weakness;
}

type Usable = Extract<Availability, { usable: true }>;

/** What speaks against a provider that works: the lower the better. */
type Weakness = 0 | 1 | 2 | 3;

/**
 * What `auto` does.
 * @param load - Makes the provider of a name.
 * @throws PtcError as `selectProvider`.
 */
export async function selectBest(
  load: (name: ProviderName) => Promise<SandboxProvider>,
  { languages = [], onProgress, signal }: SelectOptions,
): Promise<SandboxProvider> {
  const failures: string[] = [];
  const tried: SandboxProvider[] = [];
  let best: Candidate | undefined;
  try {
    for (const name of PROVIDER_NAMES) {
      const provider = await load(name);
      tried.push(provider);
      const availability = await assessProvider(provider, { onProgress, signal });
      if (!availability.usable) {
        failures.push(describeUnavailable(name, availability));
        continue;
      }
      const lacksLanguage = languages.some((language) => !provider.languages.includes(language));
      const weakness = weaknessOf(availability, lacksLanguage);
      if (best !== undefined && best.weakness <= weakness) continue;
      if (best !== undefined) {
        onProgress?.(`Not ${best.provider.name}: ${explainWeakness(best.weakness)}.`);
      }
      best = { provider, description: availability.description, weakness };
      if (weakness === 0) break;
    }
  } catch (error) {
    best = undefined;
    throw error;
  } finally {
    await Promise.all(tried.map(async (each) => each !== best?.provider && each.close()));
  }
  if (best === undefined) {
    throw new PtcError(
      'SANDBOX_UNAVAILABLE',
      `No sandbox works on this machine.\n${failures.join('\n')}`,
    );
  }
  onProgress?.(`Sandbox: ${best.description}`);
  return best.provider;
}

/** What `prepare` throws if the engine is at fault: another provider may work then. */
const ENGINE_FAULTS: ReadonlySet<PtcErrorCode> = new Set([
  'SANDBOX_UNAVAILABLE',
  'IMAGE_UNAVAILABLE',
  'SANDBOX_START_FAILED',
]);

/**
 * Whether `auto` can take a provider: its engine answers, and has what a sandbox needs. This may build an image, which
 * the first sandbox would else do.
 * @param options.onProgress - Told if the engine answers and cannot be used all the same.
 * @throws PtcError `ABORTED`
 */
export async function assessProvider(
  provider: SandboxProvider,
  { onProgress, signal }: Pick<SelectOptions, 'onProgress' | 'signal'>,
): Promise<Availability> {
  throwIfAborted(signal);
  const availability = await provider.probe();
  throwIfAborted(signal);
  if (!availability.usable) return availability;
  try {
    await provider.prepare?.(signal && { signal });
    return availability;
  } catch (error) {
    if (!PtcError.isInstance(error) || !ENGINE_FAULTS.has(error.code)) throw error;
    onProgress?.(`Not ${provider.name}: ${error.message}`);
    return { usable: false, reason: error.message.replace(/\.$/, ''), remedy: '' };
  }
}

/**
 * What speaks against a provider that works: that it lacks a language, or else that it does not bound memory.
 * @param lacksLanguage - Whether it lacks one that is asked for.
 */
export function weaknessOf({ boundsMemory = true }: Usable, lacksLanguage = false): Weakness {
  if (lacksLanguage) return boundsMemory ? 2 : 3;
  return boundsMemory ? 0 : 1;
}

/** Why a provider that works is passed over: a clause. */
export function explainWeakness(weakness: Weakness): string {
  return weakness >= 2
    ? 'it lacks a language that is asked for'
    : 'nothing in the kernel bounds the memory of its sandboxes here';
}

/** One line on why a provider cannot be used, and what to do. */
export function describeUnavailable(
  name: string,
  availability: Extract<Availability, { usable: false }>,
): string {
  return `${name}: ${availability.reason}. ${availability.remedy}`.trimEnd();
}

function knownName(name: string): ProviderName {
  const known = PROVIDER_NAMES.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  throw new PtcError(
    'OPTION_INVALID',
    `There is no sandbox named ${JSON.stringify(name)}. Use auto, ${PROVIDER_NAMES.join(' or ')}.`,
  );
}
