import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { readGuests } from '../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/sandbox.ts';
import { weaknessesOf } from '../../src/providers/kubernetes/pod/check-pod.ts';
import type { Pod, PodSpec, PodTemplate } from '../../src/providers/kubernetes/pod/pod-types.ts';
import { chooseUsers, sandboxPod } from '../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { ClusterApi } from './api.ts';
import { boundToRestricted, install } from './installed.ts';
import { startSecondApiServer } from './second-api-server.ts';

const { kubeconfig, restrictedKubeconfig, image } = inject('cluster');
const RBAC = 'rbac.authorization.k8s.io';

/** What the policy of others allows: nothing that pods of sandboxes do not need. */
const POLICY = {
  privileged: false,
  allowPrivilegeEscalation: false,
  requiredDropCapabilities: ['ALL'],
  readOnlyRootFilesystem: true,
  volumes: ['configMap', 'downwardAPI', 'emptyDir'],
  runAsUser: { rule: 'MustRunAsNonRoot' },
  runAsGroup: { rule: 'MustRunAs', ranges: [{ min: 1, max: 65_535 }] },
  seLinux: { rule: 'RunAsAny' },
  supplementalGroups: { rule: 'RunAsAny' },
  fsGroup: { rule: 'RunAsAny' },
};
const ANNOTATIONS = {
  'seccomp.security.alpha.kubernetes.io/allowedProfileNames': 'runtime/default',
};

/** What the tests change of a pod. */
interface Changeable {
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  readonly volumes: object[];
  readonly securityContext: { readonly seccompProfile: { type: string } };
  readonly containers: readonly {
    readonly name: string;
    readonly securityContext: Context;
  }[];
}

interface Context {
  privileged?: boolean;
  allowPrivilegeEscalation: boolean;
  readonly capabilities: { add?: string[] };
  runAsUser: number;
  runAsGroup: number;
  readOnlyRootFilesystem: boolean;
}

type Change = (spec: Changeable) => void;

/** What weakens a pod, each with a name. */
const WEAKENED: readonly (readonly [string, Change])[] = [
  ['the network of the node', (spec) => (spec.hostNetwork = true)],
  ['the processes of the node', (spec) => (spec.hostPID = true)],
  ['the shared memory of the node', (spec) => (spec.hostIPC = true)],
  ['a file of the node', (spec) => spec.volumes.push({ name: 'host', hostPath: { path: '/etc' } })],
  [
    'no filter of system calls',
    (spec) => (spec.securityContext.seccompProfile.type = 'Unconfined'),
  ],
  ...['sidecar', 'code'].flatMap((name): (readonly [string, Change])[] => [
    [`${name} that is privileged`, inContainer(name, (own) => (own.privileged = true))],
    [
      `${name} that may gain rights`,
      inContainer(name, (own) => (own.allowPrivilegeEscalation = true)),
    ],
    [
      `${name} with a capability`,
      inContainer(name, (own) => (own.capabilities.add = ['NET_ADMIN'])),
    ],
    [`${name} that is root`, inContainer(name, (own) => (own.runAsUser = 0))],
    [`${name} in the group of root`, inContainer(name, (own) => (own.runAsGroup = 0))],
    [
      `${name} that may write its root`,
      inContainer(name, (own) => (own.readOnlyRootFilesystem = false)),
    ],
  ]),
];

/** Changes the security context of a container. */
function inContainer(name: string, change: (context: Context) => void): Change {
  return ({ containers }) => {
    const context = containers.find((container) => container.name === name)?.securityContext;
    if (context !== undefined) change(context);
  };
}

it('a PodSecurityPolicy that allows only what is needed admits the pod of a sandbox, and none that is weakened', async () => {
  const admin = new ClusterApi(kubeconfig);
  const { namespace, remove } = await install(admin, { image, change: boundToRestricted });
  onTestFinished(remove);
  const name = `policy-${randomUUID()}`;
  const policies = '/apis/policy/v1beta1/podsecuritypolicies';
  await admin.send('POST', policies, {
    metadata: { name, annotations: ANNOTATIONS },
    spec: POLICY,
  });
  onTestFinished(async () => void (await admin.send('DELETE', `${policies}/${name}`)));
  const roles = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const right = { apiGroups: ['policy'], resources: ['podsecuritypolicies'], verbs: ['use'] };
  await admin.send('POST', `${roles}/roles`, {
    metadata: { name },
    rules: [{ ...right, resourceNames: [name] }],
  });
  await admin.send('POST', `${roles}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'Role', name },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: 'restricted' }],
  });
  const judge = new ClusterApi(
    await startSecondApiServer(restrictedKubeconfig, 'PodSecurityPolicy'),
  );

  const template = `/api/v1/namespaces/${namespace}/podtemplates/sandboxed-ptc`;
  const spec = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS } as const;
  const pod = sandboxPod(spec, {
    name: 'sandbox-1',
    template: (await admin.send('GET', template)) as PodTemplate,
    guests: await readGuests(),
    users: chooseUsers(),
    owner: '',
  });
  // Nothing is made: the pod is only judged.
  const pods = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const status = async (): Promise<number> => (await judge.request('POST', pods, pod)).status;
  await expect.poll(status).toBe(201);
  const { body } = await judge.request('POST', pods, pod);
  expect(weaknessesOf((JSON.parse(body) as Pod).spec)).toEqual([]);
  expect(body).toContain(name);

  const admitted: string[] = [];
  const notFound: string[] = [];
  for (const [what, change] of WEAKENED) {
    const weakened = structuredClone(pod);
    change(weakened.spec as Changeable);
    const answer = await judge.request('POST', pods, weakened);
    if (answer.status !== 403 || !answer.body.includes('unable to admit pod')) {
      admitted.push(`${what}: ${answer.status} ${answer.body.slice(0, 300)}`);
    }
    // A host does not know what `runAsUser` and `runAsGroup` of a template say: it sets both.
    const isUser = /is root$|group of root$/.test(what);
    if (!isUser && weaknessesOf(weakened.spec as PodSpec).length === 0) notFound.push(what);
  }
  expect(admitted).toEqual([]);
  expect(notFound).toEqual([]);
});
