import { beforeAll, describe, expect, it } from 'vitest';
import { weaknessesOf } from '../../../../src/providers/kubernetes/pod/check-pod.ts';
import {
  LABELS,
  POD_VERSION,
  templateSpec,
} from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { PodSpec } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { checkTemplate } from '../../../../src/providers/kubernetes/pod/read-template.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';

/** Names of fields and positions. */
type Path = readonly (string | number)[];

let own: PodSpec;
beforeAll(async () => {
  const files = await readRunnerFiles();
  own = templateSpec({ image: 'sandbox:1', files, limits: DEFAULT_LIMITS });
});

/** The own template with one field set. */
function changed(path: Path, value: unknown): PodSpec {
  const spec = structuredClone(own);
  const last = path.at(-1);
  let place = spec as unknown as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) place = place[step] as typeof place;
  if (last !== undefined) place[last] = value;
  return spec;
}

describe('a template', () => {
  it('of this package weakens nothing', () => {
    expect(weaknessesOf(own)).toEqual([]);
  });

  it.each<readonly [Path, unknown]>([
    [['nodeSelector'], { pool: 'sandboxes' }],
    [['tolerations'], []],
    [['imagePullSecrets'], [{ name: 'registry' }]],
    [['runtimeClassName'], 'gvisor'],
    // The API server adds these.
    [['hostNetwork'], false],
    [['serviceAccountName'], 'default'],
    [['containers', 0, 'terminationMessagePath'], '/dev/termination-log'],
    [['containers', 0, 'env', 0, 'valueFrom', 'fieldRef', 'apiVersion'], 'v1'],
  ])('can say %j', (path, value) => {
    expect(weaknessesOf(changed(path, value))).toEqual([]);
  });

  it.each<readonly [Path, unknown, string]>([
    [['hostNetwork'], true, 'namespaces'],
    [['hostPID'], true, 'namespaces'],
    [['hostIPC'], true, 'namespaces'],
    [['shareProcessNamespace'], true, 'namespaces'],
    [['automountServiceAccountToken'], true, 'environment'],
    [['enableServiceLinks'], true, 'environment'],
    [['dnsPolicy'], 'ClusterFirst', 'network'],
    [['restartPolicy'], 'Always', 'removal'],
    [['terminationGracePeriodSeconds'], 30, 'removal'],
    [['securityContext'], { runAsNonRoot: false }, 'user'],
    [['securityContext', 'seccompProfile'], { type: 'Unconfined' }, 'user'],
    [['securityContext', 'sysctls'], [{ name: 'kernel.shm_rmid_forced', value: '0' }], 'user'],
    [['initContainers'], [{ name: 'init', image: 'other' }], 'namespaces'],
    [['containers', 2], { name: 'proxy', image: 'other' }, 'namespaces'],
    [['containers', 1, 'securityContext', 'privileged'], true, 'capabilities'],
    [['containers', 1, 'securityContext', 'readOnlyRootFilesystem'], false, 'capabilities'],
    [['containers', 1, 'securityContext', 'allowPrivilegeEscalation'], true, 'capabilities'],
    [['containers', 1, 'securityContext', 'capabilities'], { add: ['NET_RAW'] }, 'capabilities'],
    [['containers', 1, 'securityContext', 'procMount'], 'Unmasked', 'capabilities'],
    [['containers', 0, 'securityContext', 'capabilities'], {}, 'capabilities'],
    [['containers', 1, 'envFrom'], [{ secretRef: { name: 'keys' } }], 'namespaces'],
    [['containers', 1, 'env'], [{ name: 'KEY', valueFrom: { secretKeyRef: {} } }], 'environment'],
    // Without them, or with others, the sidecar would not try the node or the API server.
    [['containers', 0, 'env'], [], 'network'],
    [['containers', 0, 'env'], undefined, 'network'],
    [['containers', 0, 'env'], [{ name: 'NODE_ADDRESS', value: '127.0.0.1' }], 'network'],
    [['containers', 0, 'env', 0, 'valueFrom'], { secretKeyRef: { name: 'keys' } }, 'network'],
    [['containers', 0, 'env', 1], { name: 'KUBERNETES_SERVICE_HOST', value: '::1' }, 'network'],
    [['containers', 1, 'lifecycle'], { postStart: {} }, 'namespaces'],
    [['containers', 1, 'volumeDevices'], [{ name: 'disk' }], 'namespaces'],
    [
      ['containers', 1, 'volumeMounts'],
      [{ name: 'relays', mountPath: '/run' }],
      'host directories',
    ],
    [['volumes', 3], { name: 'temporary', hostPath: { path: '/' } }, 'host directories'],
    [['volumes', 3], { name: 'temporary', emptyDir: {} }, 'host directories'],
    [['volumes', 0], { name: 'runner', secret: { secretName: 'keys' } }, 'host directories'],
    [['volumes', 5], { name: 'more', emptyDir: { medium: 'Memory' } }, 'host directories'],
    [['volumes'], [], 'temporary files'],
    // Nobody can tell what it does.
    [['aFieldOfTheFuture'], 'on', 'namespaces'],
  ])(
    'that says %j: %j weakens a wall, which is named [kubernetes/template]',
    (path, value, wall) => {
      const walls = weaknessesOf(changed(path, value)).map((one) => one.wall);
      expect(walls).toContain(wall);
    },
  );
});

describe('the annotations that a template gives its pods', () => {
  function check(annotations: Readonly<Record<string, string>>): void {
    const metadata = { name: 'sandboxed-ptc', uid: 'a', resourceVersion: '1' };
    const labels = { [LABELS.version]: POD_VERSION };
    checkTemplate({
      metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z', labels },
      template: { metadata: { annotations }, spec: own },
    });
  }

  it.each([
    ['container.apparmor.security.beta.kubernetes.io/code', 'unconfined', 'permissions'],
    ['k8s.v1.cni.cncf.io/networks', 'default/macvlan', 'network'],
    ['v1.multus-cni.io/default-network', 'default/macvlan', 'network'],
    ['io.kubernetes.cri-o.Devices', '/dev/kvm', 'devices'],
  ])('weaken a wall with %s: %s [kubernetes/template]', (name, value, wall) => {
    expect(() => check({ [name]: value })).toThrow(
      expect.objectContaining({
        code: 'SANDBOX_UNAVAILABLE',
        message: expect.stringContaining(`${wall}: the annotation ${name} is "${value}"`),
        details: { template: 'sandboxed-ptc', walls: [wall] },
      }),
    );
  });

  it.each([
    ['container.apparmor.security.beta.kubernetes.io/code', 'runtime/default'],
    ['k8s.v1.cni.cncf.io/networks-status', '[]'],
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false'],
  ])('can have %s: %s', (name, value) => {
    expect(() => check({ [name]: value })).not.toThrow();
  });
});
