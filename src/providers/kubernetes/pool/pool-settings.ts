import type { LanguageName } from '../../../protocol/messages.ts';
import { DEFAULT_LIMITS, type ResourceLimits, type SandboxSpec } from '../../../sandbox/sandbox.ts';
import { PtcError } from '../../../shared/errors.ts';
import { CODE } from '../pod/pod-template.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import { readQuantity } from '../pod/quantities.ts';

/** Annotations of a template: how many pods are kept ready, and the languages of their programs. */
export const POOL_ANNOTATIONS = {
  size: 'sandboxed-ptc/pool-size',
  /** Separated by commas. The interpreter of the first one is started in advance. */
  languages: 'sandboxed-ptc/pool-languages',
} as const;

/** The languages of a pool whose template names none: those of an executor that names none. */
const DEFAULT_LANGUAGES: readonly LanguageName[] = ['python'];

const MOST_PODS = 10_000;
const LANGUAGES: readonly string[] = [
  'python',
  'typescript',
  'javascript',
  'bash',
] satisfies LanguageName[];

/** What `parseSize` and `parseLanguages` understand, for messages. */
export const SIZE_EXPECTED: string = `a whole number from 0 to ${MOST_PODS}`;
export const LANGUAGES_EXPECTED: string = `languages separated by commas, such as ${LANGUAGES.join(',')}`;

/** The pods that a template keeps ready. */
export interface PoolSettings {
  readonly size: number;
  /** What they are made for. They have no session yet. */
  readonly spec: SandboxSpec;
}

/**
 * Reads from a template which pods are kept ready. Undefined if none are.
 * @throws PtcError `SANDBOX_UNAVAILABLE` if an annotation is not understood.
 */
export function readPool(template: PodTemplate): PoolSettings | undefined {
  const { [POOL_ANNOTATIONS.size]: sizeText } = template.metadata.annotations ?? {};
  const size = sizeText === undefined ? 0 : parseSize(sizeText);
  if (size === undefined) throw wrong(template, POOL_ANNOTATIONS.size, SIZE_EXPECTED);
  const spec = readSpec(template);
  return size === 0 ? undefined : { size, spec };
}

/**
 * Reads from a template what the pods of its pool are made for.
 * @throws PtcError `SANDBOX_UNAVAILABLE` if an annotation is not understood.
 */
export function readSpec(template: PodTemplate): SandboxSpec {
  const { [POOL_ANNOTATIONS.languages]: text } = template.metadata.annotations ?? {};
  const languages = text === undefined ? DEFAULT_LANGUAGES : parseLanguages(text);
  if (languages === undefined) {
    throw wrong(template, POOL_ANNOTATIONS.languages, LANGUAGES_EXPECTED);
  }
  return { sessionId: '', languages, limits: limitsOf(template) };
}

/** Undefined if the text is not the size of a pool. */
export function parseSize(text: string): number | undefined {
  const size = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return size <= MOST_PODS ? size : undefined;
}

/** Undefined if the text does not name languages, each once. */
export function parseLanguages(text: string): readonly LanguageName[] | undefined {
  const names = text.split(',');
  return isKnown(names) && new Set(names).size === names.length ? names : undefined;
}

function isKnown(names: readonly string[]): names is readonly LanguageName[] {
  return names.every((name) => LANGUAGES.includes(name));
}

/** The most that a sandbox of the template may use. */
function limitsOf({ template: { spec } }: PodTemplate): ResourceLimits {
  const most = spec.containers.find(({ name }) => name === CODE)?.resources?.limits;
  const sizes = (spec.volumes ?? [])
    .filter(({ name }) => name === 'temporary' || name === 'shared-memory')
    .map(({ emptyDir }) => readQuantity(emptyDir?.sizeLimit ?? ''));
  const storage = sizes.reduce<number>((sum, size) => sum + (size ?? Number.NaN), 0);
  return {
    memoryBytes: readQuantity(most?.['memory'] ?? '') ?? DEFAULT_LIMITS.memoryBytes,
    cpus: readQuantity(most?.['cpu'] ?? '') ?? DEFAULT_LIMITS.cpus,
    processes: DEFAULT_LIMITS.processes,
    temporaryStorageBytes: Number.isNaN(storage) ? DEFAULT_LIMITS.temporaryStorageBytes : storage,
  };
}

function wrong({ metadata }: PodTemplate, annotation: string, expected: string): PtcError {
  const { name, annotations } = metadata;
  const text = JSON.stringify(annotations?.[annotation]?.slice(0, 100));
  return new PtcError(
    'SANDBOX_UNAVAILABLE',
    `The template ${name} has the annotation ${annotation}: ${text}, which must be ${expected}. Correct it: kubectl annotate podtemplate ${name} --overwrite ${annotation}=…`,
    { details: { template: name, annotation } },
  );
}
