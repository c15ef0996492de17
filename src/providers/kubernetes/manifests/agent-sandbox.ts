import type { Guest } from '../../../sandbox/guests/guest.ts';
import { EXTENSIONS, EXTENSIONS_VERSION, SANDBOXES } from '../agent-sandbox/objects.ts';
import { warmPodSpec } from '../agent-sandbox/warm-pod.ts';
import { APP, LABELS, POD_VERSION } from '../pod/pod-template.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import type { Manifest, ManifestOptions } from './manifest.ts';

/** What a host does with the objects of agent-sandbox. */
export const AGENT_SANDBOX_RULES: readonly object[] = [
  {
    apiGroups: [EXTENSIONS],
    resources: ['sandboxclaims'],
    verbs: ['create', 'delete', 'get', 'watch'],
  },
  {
    apiGroups: [EXTENSIONS],
    resources: ['sandboxtemplates', 'sandboxwarmpools'],
    verbs: ['get'],
  },
  { apiGroups: [SANDBOXES], resources: ['sandboxes'], verbs: ['get'] },
];

/**
 * The template and the warm pool of agent-sandbox, in place of a PodTemplate.
 * @param podTemplate - The PodTemplate.
 */
export function warmPool(
  podTemplate: Manifest,
  guests: readonly Guest[],
  { limits, pool }: ManifestOptions,
): readonly Manifest[] {
  const template = podTemplate as unknown as PodTemplate;
  const { name, namespace, labels, annotations } = podTemplate.metadata;
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(labels && { labels }),
  };
  const spec = { sessionId: '', languages: pool.languages, limits };
  return [
    {
      apiVersion: EXTENSIONS_VERSION,
      kind: 'SandboxTemplate',
      metadata: { ...metadata, ...(annotations && { annotations }) },
      spec: {
        podTemplate: {
          metadata: { labels: { [LABELS.app]: APP, [LABELS.version]: POD_VERSION } },
          spec: warmPodSpec(spec, template, guests),
        },
        // It allows nothing. Without it, pods could reach the internet.
        networkPolicy: {},
      },
    },
    {
      apiVersion: EXTENSIONS_VERSION,
      kind: 'SandboxWarmPool',
      metadata,
      spec: {
        replicas: pool.size,
        sandboxTemplateRef: { name },
        updateStrategy: { type: 'Recreate' },
      },
    },
  ];
}
