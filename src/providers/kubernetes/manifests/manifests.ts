import {
  APP,
  LABELS,
  POD_VERSION,
  runnerMapName,
  SIDECAR_LIMITS,
  templateSpec,
} from '../pod/pod-template.ts';
import type { RunnerFiles } from '../pod/runner-files.ts';
import { mebibytes, processors } from '../pod/quantities.ts';
import { POOL_ANNOTATIONS } from '../pool/pool-settings.ts';
import { AGENT_SANDBOX_RULES, warmPool } from './agent-sandbox.ts';
import type { Manifest, ManifestOptions } from './manifest.ts';

/**
 * All that a namespace needs for sandboxes, in the order in which it is applied. The templates of the
 * chart in `deploy/helm` say the same: change both.
 */
export function manifests(files: RunnerFiles, options: ManifestOptions): readonly Manifest[] {
  const { agentSandbox } = options;
  const template = podTemplate(files, options);
  return [
    namespaceOf(options),
    serviceAccount(options),
    ...rights(options),
    networkPolicy(options),
    quota(options),
    runnerMap(files, options),
    ...(agentSandbox === undefined ? [template] : warmPool(template, agentSandbox.guests, options)),
  ];
}

/** Restricted: the API server refuses pods there that weaken a wall. */
function namespaceOf({ namespace }: ManifestOptions): Manifest {
  const labels = Object.fromEntries(
    ['enforce', 'warn', 'audit'].map((mode) => [
      `pod-security.kubernetes.io/${mode}`,
      'restricted',
    ]),
  );
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

/** Of the hosts. Pods of sandboxes get no token. */
function serviceAccount(options: ManifestOptions): Manifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadataOf(options) };
}

function rulesOf({ agentSandbox }: ManifestOptions): readonly object[] {
  const makesPods = agentSandbox === undefined;
  return [
    {
      apiGroups: [''],
      resources: ['pods'],
      verbs: [...(makesPods ? ['create'] : []), 'delete', 'get', 'list', 'patch', 'watch'],
    },
    // Newer servers want both.
    { apiGroups: [''], resources: ['pods/exec'], verbs: ['create', 'get'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
    },
    ...(makesPods
      ? [{ apiGroups: [''], resources: ['podtemplates'], verbs: ['get', 'list', 'watch'] }]
      : AGENT_SANDBOX_RULES),
  ];
}

function rights(options: ManifestOptions): readonly Manifest[] {
  const metadata = metadataOf(options);
  const apiGroup = 'rbac.authorization.k8s.io';
  const apiVersion = `${apiGroup}/v1`;
  const { name, namespace } = options;
  return [
    { apiVersion, kind: 'Role', metadata, rules: rulesOf(options) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}

/** Sandboxes reach nothing and are reached by nothing. Each pod finds out whether that is enforced. */
function networkPolicy(options: ManifestOptions): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadataOf(options),
    spec: {
      // Hosts may be in the same namespace.
      podSelector: { matchExpressions: [{ key: LABELS.session, operator: 'Exists' }] },
      policyTypes: ['Ingress', 'Egress'],
    },
  };
}

/** How many sandboxes there may be, and what all of them may use, whatever a host asks for. */
function quota(options: ManifestOptions): Manifest {
  const { limits, sandboxes } = options;
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: metadataOf(options),
    spec: {
      hard: {
        pods: String(sandboxes),
        'limits.memory': mebibytes((limits.memoryBytes + SIDECAR_LIMITS.memoryBytes) * sandboxes),
        'limits.cpu': processors((limits.cpus + SIDECAR_LIMITS.cpus) * sandboxes),
      },
    },
  };
}

function runnerMap(files: RunnerFiles, options: ManifestOptions): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadataOf(options), name: runnerMapName(files) },
    immutable: true,
    data: files.texts,
    binaryData: Object.fromEntries(
      files.filters.map(([name, bytes]) => [name, bytes.toString('base64')]),
    ),
  };
}

function podTemplate(files: RunnerFiles, options: ManifestOptions): Manifest {
  const { image, limits, pool } = options;
  const metadata = metadataOf(options);
  return {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [LABELS.version]: POD_VERSION },
      annotations: {
        [POOL_ANNOTATIONS.size]: String(pool.size),
        [POOL_ANNOTATIONS.languages]: pool.languages.join(','),
      },
    },
    template: {
      metadata: { labels: { [LABELS.app]: APP } },
      spec: templateSpec({ image, files, limits }),
    },
  };
}

function metadataOf({ name, namespace }: ManifestOptions): Manifest['metadata'] {
  return { name, namespace, labels: { [LABELS.app]: APP } };
}
