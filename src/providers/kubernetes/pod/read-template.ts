import { PtcError } from '../../../shared/errors.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { annotationWeaknesses, weaknessesOf } from './check-pod.ts';
import { LABELS, POD_VERSION } from './pod-template.ts';
import type { PodTemplate } from './pod-types.ts';

const REMEDY = 'Apply what `npx sandboxed-ptc cluster manifests` of this version prints';

/**
 * Reads a template, and checks that it is one of this version and weakens no wall.
 * @throws PtcError `SANDBOX_UNAVAILABLE`, or ApiError.
 */
export async function readTemplate(
  cluster: Cluster,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal?: AbortSignal,
): Promise<PodTemplate> {
  const path = `/api/v1/namespaces/${namespace}/podtemplates/${name}`;
  const template = (await cluster.send({ method: 'GET', path, signal })) as PodTemplate;
  checkTemplate(template);
  return template;
}

/** @throws PtcError `SANDBOX_UNAVAILABLE` if a template is of another version, or weakens a wall. */
export function checkTemplate({ metadata, template }: PodTemplate): void {
  const { name } = metadata;
  const version = metadata.labels?.[LABELS.version];
  if (version !== POD_VERSION) {
    const what =
      version === undefined ? 'is none of this package' : `is for pods of version ${version}`;
    throw new PtcError(
      'SANDBOX_UNAVAILABLE',
      `The template ${name} ${what}; this process needs version ${POD_VERSION}. ${REMEDY}, under another name if other hosts still use this one.`,
      { details: { template: name, version } },
    );
  }
  const weaknesses = [
    ...weaknessesOf(template.spec),
    ...annotationWeaknesses(template.metadata?.annotations),
  ];
  if (weaknesses.length > 0) {
    const list = weaknesses.map(({ wall, what }) => `${wall}: ${what}`).join('; ');
    throw new PtcError(
      'SANDBOX_UNAVAILABLE',
      `The template ${name} weakens what isolates programs: ${list}. ${REMEDY}.`,
      { details: { template: name, walls: [...new Set(weaknesses.map(({ wall }) => wall))] } },
    );
  }
}
