import { randomUUID } from 'node:crypto';
import { readGuests } from '../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import type { Manifest } from '../../src/providers/kubernetes/manifests/manifest.ts';
import { manifests } from '../../src/providers/kubernetes/manifests/manifests.ts';
import { readRunnerFiles } from '../../src/providers/kubernetes/pod/runner-files.ts';
import { ClusterApi } from './api.ts';
import type { ClusterOfTests } from './start-cluster.ts';
import { afterAll, beforeAll, inject, vi } from 'vitest';

/** A namespace that has what `cluster manifests` prints. */
export interface Installed {
  readonly namespace: string;
  /** Removes the namespace with all that is in it. */
  readonly remove: () => Promise<void>;
}

/** What a test changes in what it applies. */
export interface InstallOptions {
  readonly image: string;
  /** @default one of its own */
  readonly namespace?: string;
  /** @default 20 */
  readonly sandboxes?: number;
  /** How many pods hosts keep ready. @default none */
  readonly pool?: number;
  /** Whether agent-sandbox keeps them, in a warm pool. @default false */
  readonly agentSandbox?: boolean;
  /** Changes an object before it is applied. */
  readonly change?: (manifest: Manifest) => Manifest;
}

/** Applies the manifests to a namespace of its own. */
export async function install(
  admin: ClusterApi,
  {
    image,
    namespace = `agents-${randomUUID()}`,
    sandboxes = 20,
    pool: size = 0,
    agentSandbox = false,
    change = (one) => one,
  }: InstallOptions,
): Promise<Installed> {
  const pool = { size, languages: ['python'] } as const;
  const installed = { namespace, image, name: 'sandboxed-ptc', limits: DEFAULT_LIMITS };
  const guests = await readGuests();
  const options = {
    ...installed,
    sandboxes,
    pool,
    ...(agentSandbox && { agentSandbox: { guests } }),
  };
  for (const manifest of manifests(await readRunnerFiles(), options)) {
    const changed = change(withSmallRequest(manifest));
    await admin.send('POST', pathOf(changed, namespace), changed);
  }
  const remove = async (): Promise<void> => {
    await admin.send('DELETE', `/api/v1/namespaces/${namespace}`);
  };
  return { namespace, remove };
}

/** Files of tests run side by side, and a node has room for few pods that each reserve a tenth of a processor. */
function withSmallRequest(manifest: Manifest): Manifest {
  const changed: Manifest = structuredClone(manifest);
  const template =
    manifest.kind === 'PodTemplate'
      ? changed['template']
      : (changed['spec'] as { podTemplate?: unknown } | undefined)?.podTemplate;
  if (template === undefined) return manifest;
  const { spec } = template as { spec: { containers: readonly Requesting[] } };
  for (const { resources } of spec.containers) resources.requests['cpu'] = '20m';
  return changed;
}

interface Requesting {
  readonly resources: { readonly requests: Record<string, string> };
}

/** What differs from the namespaces of other files. */
interface OwnNamespace extends Partial<InstallOptions> {
  /** The cluster that has it. @default the one that files share */
  readonly cluster?: () => ClusterOfTests;
}

/**
 * A namespace for the tests of a file, with everything in it.
 * @returns its name, for use in tests.
 */
export function useNamespace({
  cluster = () => inject('cluster'),
  ...own
}: OwnNamespace = {}): () => string {
  let installed: Installed | undefined;
  beforeAll(async () => {
    const { kubeconfig, image } = cluster();
    vi.stubEnv('KUBECONFIG', kubeconfig);
    installed = await install(new ClusterApi(kubeconfig), { image, ...own });
  });
  afterAll(async () => {
    await installed?.remove();
    vi.unstubAllEnvs();
  });
  return () => installed?.namespace ?? '';
}

const PLURALS: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  NetworkPolicy: 'networkpolicies',
};

/** Where objects of its kind are made. */
function pathOf({ apiVersion, kind }: Manifest, namespace: string): string {
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return kind === 'Namespace' ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`;
}

/** Takes a resource out of the role. */
export function withoutRight(resource: string, manifest: Manifest): Manifest {
  if (manifest.kind !== 'Role') return manifest;
  const rules = manifest['rules'] as readonly { readonly resources: readonly string[] }[];
  return { ...manifest, rules: rules.filter(({ resources }) => !resources.includes(resource)) };
}

/** Gives the restricted user the role of the namespace. */
export function boundToRestricted(manifest: Manifest): Manifest {
  if (manifest.kind !== 'RoleBinding') return manifest;
  const apiGroup = 'rbac.authorization.k8s.io';
  return { ...manifest, subjects: [{ apiGroup, kind: 'User', name: 'restricted' }] };
}
