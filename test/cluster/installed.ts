import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { type Manifest, manifests } from '../../src/providers/kubernetes/manifests/manifests.ts';
import { readRunnerFiles } from '../../src/providers/kubernetes/pod/runner-files.ts';
import { ClusterApi } from './api.ts';
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
    change = (one) => one,
  }: InstallOptions,
): Promise<Installed> {
  const options = { namespace, image, name: 'sandboxed-ptc', limits: DEFAULT_LIMITS, sandboxes };
  for (const manifest of manifests(await readRunnerFiles(), options)) {
    const changed = change(manifest);
    await admin.send('POST', pathOf(changed, namespace), changed);
  }
  // The cluster makes it a moment after the namespace, and refuses pods until then.
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  while ((await admin.request('GET', account)).status === 404) await delay(50);
  const remove = async (): Promise<void> => {
    await admin.send('DELETE', `/api/v1/namespaces/${namespace}`);
  };
  return { namespace, remove };
}

/** A namespace for the tests of a file, with everything in it. @returns its name, for use in tests. */
export function useNamespace(): () => string {
  const { kubeconfig, image } = inject('cluster');
  let installed: Installed | undefined;
  beforeAll(async () => {
    vi.stubEnv('KUBECONFIG', kubeconfig);
    installed = await install(new ClusterApi(kubeconfig), { image });
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
