import { describe, expect, it } from 'vitest';
import { templateSpec } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { PodTemplate } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { readQuantity } from '../../../../src/providers/kubernetes/pod/quantities.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { sandboxPod } from '../../../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS, type ResourceLimits } from '../../../../src/sandbox/sandbox.ts';

async function podFor(limits: Partial<ResourceLimits>): Promise<unknown> {
  const files = await readRunnerFiles();
  const template: PodTemplate = {
    metadata: {
      name: 'sandboxed-ptc',
      uid: 'uid-1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    template: { spec: templateSpec({ image: 'sandbox:1', files, limits: DEFAULT_LIMITS }) },
  };
  const spec = {
    sessionId: 'session-1',
    languages: ['bash'],
    limits: { ...DEFAULT_LIMITS, ...limits },
  } as const;
  const users = { sidecar: 30_000, code: 30_001 };
  const guests = await readGuests();
  return sandboxPod(spec, { name: 'sandbox-1', template, guests, users, owner: 'host/1/abc' });
}

describe('the pod of a sandbox', () => {
  it('is owned by its template, and bears its session and its host', async () => {
    expect(await podFor({})).toMatchObject({
      metadata: {
        labels: { 'sandboxed-ptc.session': 'session-1' },
        annotations: { 'sandboxed-ptc.owner': 'host/1/abc' },
        ownerReferences: [{ kind: 'PodTemplate', uid: 'uid-1', controller: true }],
      },
    });
  });

  it('has the limits of the executor, and requests no more than these', async () => {
    const limits = { memoryBytes: 64 * 2 ** 20, cpus: 0.05, temporaryStorageBytes: 8 * 2 ** 20 };
    expect(await podFor(limits)).toMatchObject({
      spec: {
        containers: [
          {},
          {
            resources: {
              limits: { memory: '64Mi', cpu: '50m' },
              requests: { memory: '64Mi', cpu: '50m' },
            },
          },
        ],
        volumes: expect.arrayContaining([
          { name: 'temporary', emptyDir: { medium: 'Memory', sizeLimit: '7340032' } },
          { name: 'shared-memory', emptyDir: { medium: 'Memory', sizeLimit: '1048576' } },
        ]),
      },
    });
  });

  it.each([
    [
      { memoryBytes: 512 * 2 ** 20 },
      /allows a sandbox 256Mi, and limits\.memoryBytes asks for 512Mi/,
      { option: 'limits.memoryBytes', most: '256Mi' },
    ],
    [
      { cpus: 2 },
      /allows a sandbox 500m, and limits\.cpus asks for 2000m/,
      { option: 'limits.cpus', most: '500m' },
    ],
  ])('is refused if %j is more than the template allows', async (limits, message, details) => {
    await expect(podFor(limits)).rejects.toThrow(
      expect.objectContaining({
        code: 'SANDBOX_START_FAILED',
        message: expect.stringMatching(message),
        details,
      }),
    );
  });

  it('passes dollars of scripts on to a kubelet as that reads them', async () => {
    const pod = JSON.stringify(await podFor({}));
    expect(pod).toContain('$$');
    // Each is doubled: two of a script are four.
    expect(pod.replaceAll('$$', '')).not.toContain('$');
  });
});

describe('a quantity', () => {
  it.each([
    ['256Mi', 256 * 2 ** 20],
    ['500m', 0.5],
    ['1', 1],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['2k', 2000],
    ['1e9', 1e9],
    ['3E', 3e18],
    ['a lot', undefined],
    ['', undefined],
  ])('%j is %j', (text, value) => {
    expect(readQuantity(text)).toBe(value);
  });
});
