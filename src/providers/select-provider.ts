import type { LanguageName } from '../protocol/messages.ts';
import { throwIfAborted } from '../shared/async/abort.ts';
import { PtcError, type PtcErrorCode } from '../shared/errors.ts';
import { hasMethod } from '../shared/guards.ts';
import { invalidOption } from '../shared/options/option-values.ts';
import { showValue } from '../shared/show-value.ts';
import { isInPod } from './kubernetes/cluster/in-pod.ts';
import type { Availability, ProgressListener, SandboxProvider } from '../sandbox/sandbox.ts';

/** The name of a provider of this package. */
export type ProviderName = 'kubernetes' | 'docker' | 'bubblewrap' | 'embedded';

type Load = (options: { readonly onProgress?: ProgressListener }) => Promise<SandboxProvider>;

/**
 * How each provider is made, in the order in which `auto` prefers them. The dependencies of a
 * provider are loaded only here.
 */
const LOADERS: Readonly<Record<ProviderName, Load>> = {
  async kubernetes() {
    const { kubernetesProvider } = await import('./kubernetes/kubernetes-provider.ts');
    return kubernetesProvider();
  },
  async docker(options) {
    const { dockerProvider } = await import('./docker/docker-provider.ts');
    return dockerProvider(options);
  },
  async bubblewrap() {
    const { bubblewrapProvider } = await import('./bubblewrap/bubblewrap-provider.ts');
    return bubblewrapProvider();
  },
  async embedded(options) {
    const { embeddedProvider } = await import('./embedded/embedded-provider.ts');
    return embeddedProvider(options);
  },
};

/** In the order in which `auto` prefers them. */
export const PROVIDER_NAMES = Object.keys(LOADERS) as readonly ProviderName[];

/**
 * The provider that creates the sandboxes: the best one that works on this machine, one by name, or
 * your own.
 */
export type ProviderChoice = 'auto' | ProviderName | SandboxProvider;

/** Makes the provider with this name. */
export async function loadProvider(
  name: ProviderName,
  onProgress?: ProgressListener,
): Promise<SandboxProvider> {
  return LOADERS[name](onProgress ? { onProgress } : {});
}

/**
 * The names of the providers that `auto` tries. It uses a cluster only from inside: a kubeconfig may
 * lead anywhere.
 */
export function namesForAuto(): readonly ProviderName[] {
  return isInPod() ? PROVIDER_NAMES : PROVIDER_NAMES.filter((name) => name !== 'kubernetes');
}

/** Makes the provider with this name as `auto` does. */
export async function loadForAuto(
  name: ProviderName,
  onProgress?: ProgressListener,
): Promise<SandboxProvider> {
  if (name !== 'kubernetes') return loadProvider(name, onProgress);
  const { ownClusterProvider } = await import('./kubernetes/kubernetes-provider.ts');
  return ownClusterProvider();
}

/** @throws PtcError `OPTION_INVALID` for a name that no provider has, or what is not a provider. */
export function checkProviderChoice(choice: unknown): void {
  if (typeof choice === 'string') {
    if (choice !== 'auto') knownName(choice);
    return;
  }
  if (hasMethod(choice, 'create')) return;
  const expected = 'the name of a provider, or a provider such as dockerProvider()';
  throw invalidOption('provider', choice, expected);
}

/** Options of `selectProvider`. */
export interface SelectOptions {
  /**
   * The languages of the programs. `auto` chooses a provider that lacks one of them only if no
   * other provider works.
   * @default any
   */
  readonly languages?: readonly LanguageName[];
  /**
   * Receives which provider `auto` chooses, what is prepared for it, and why a provider that
   * answers is not chosen.
   */
  readonly onProgress?: ProgressListener | undefined;
  /** Aborts the choice and the preparation. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Chooses the provider. `auto` takes the first provider that works, has everything that a sandbox
 * needs, supports the languages, and has a firm limit on memory. If there is none, it takes the
 * best of the others that work. No provider runs code outside a sandbox.
 * @throws PtcError `SANDBOX_UNAVAILABLE` if no provider works, with the reason and the remedy for
 * each; `ABORTED`.
 */
export async function selectProvider(
  choice: ProviderChoice,
  options: SelectOptions = {},
): Promise<SandboxProvider> {
  if (typeof choice !== 'string') return choice;
  const { onProgress } = options;
  if (choice !== 'auto') return loadProvider(knownName(choice), onProgress);
  return selectBest(async (name) => loadForAuto(name, onProgress), options);
}

/** A provider that works, and its weakness. */
interface Candidate {
  readonly provider: SandboxProvider;
  readonly description: string;
  readonly weakness: Weakness;
}

type Usable = Extract<Availability, { usable: true }>;

/** How weak a provider that works is; see `weaknessOf`. Lower is better. */
type Weakness = 0 | 1 | 2 | 3;

/**
 * Chooses for `auto`.
 * @param load - Makes the provider with a name.
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
    for (const name of namesForAuto()) {
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
      `No provider works on this machine.\n${failures.join('\n')}`,
    );
  }
  onProgress?.(`Provider: ${best.description}`);
  return best.provider;
}

/** The errors of `prepare` after which `auto` tries the next provider. */
const ENGINE_FAULTS: ReadonlySet<PtcErrorCode> = new Set([
  'SANDBOX_UNAVAILABLE',
  'IMAGE_UNAVAILABLE',
  'SANDBOX_START_FAILED',
]);

/**
 * Checks whether `auto` can choose a provider: it works, and has everything that a sandbox needs.
 * This may build an image, which the first sandbox would otherwise do.
 * @param options.onProgress - Receives why a provider that answers cannot be used.
 * @throws PtcError `ABORTED`
 */
export async function assessProvider(
  provider: SandboxProvider,
  { onProgress, signal }: Pick<SelectOptions, 'onProgress' | 'signal'>,
): Promise<Availability> {
  throwIfAborted(signal);
  const availability = await provider.probe(signal && { signal });
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
 * Returns the weakness of a provider that works. To lack a language is worse than to have no firm
 * limit on memory.
 * @param lacksLanguage - Whether the provider lacks a language that is needed.
 */
export function weaknessOf({ boundsMemory = true }: Usable, lacksLanguage = false): Weakness {
  if (lacksLanguage) return boundsMemory ? 2 : 3;
  return boundsMemory ? 0 : 1;
}

/** Says why a provider that works is not chosen, as a clause. */
export function explainWeakness(weakness: Weakness): string {
  return weakness >= 2
    ? 'it does not support all languages of the programs'
    : 'the kernel does not limit the memory of its sandboxes on this machine';
}

/** Says on one line why a provider cannot be used and what to do. */
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
    `There is no provider named ${showValue(name)}. Use auto, ${PROVIDER_NAMES.slice(0, -1).join(', ')} or ${PROVIDER_NAMES.at(-1)}.`,
  );
}
