import { beforeAll, describe, expect, it } from 'vitest';
import { templateSpec } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { Pod, PodSpec } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { askedAgain, sandboxPod } from '../../../../src/providers/kubernetes/pod/sandbox-pod.ts';
import { type PodFacts, readFacts } from '../../../../src/providers/kubernetes/walls/facts.ts';
import { judgeWalls } from '../../../../src/providers/kubernetes/walls/judge-walls.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';
import { templateWith } from '../pool/template.ts';
import { confirmedFacts } from './confirmed-facts.ts';

const FACTS: PodFacts = { code: confirmedFacts(30_001), reached: [] };

/** What the tests change of a pod. */
interface MadePod {
  readonly metadata: { readonly annotations: Record<string, string> };
  readonly spec: { readonly containers: readonly [ChangedContainer, ChangedContainer] };
}
interface ChangedContainer {
  image: string;
  command: string[];
  args: string[];
  env: { readonly name: string; readonly value: string }[];
}

let spec: PodSpec;
beforeAll(async () => {
  spec = templateSpec({ image: 'a', files: await readRunnerFiles(), limits: DEFAULT_LIMITS });
});

/** The names of the walls that do not hold. */
function missing(
  facts: PodFacts,
  changed: Partial<PodSpec> = {},
  needsUserNamespace = false,
): string[] {
  const pod = {
    metadata: {
      name: 'a',
      uid: 'b',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { ...spec, ...changed } as PodSpec,
  };
  const users = { sidecar: 30_000, code: 30_001 };
  return judgeWalls({ limits: DEFAULT_LIMITS, users, pod, facts, needsUserNamespace })
    .filter(({ holds }) => !holds)
    .map(({ name }) => name);
}

describe('the walls of a pod', () => {
  it('need a user namespace if other pods name the same users', () => {
    expect(missing(FACTS, {}, true)).toEqual(['processes']);
    expect(missing(FACTS, { hostUsers: true }, true)).toEqual(['processes']);
    expect(missing(FACTS, { hostUsers: false }, true)).toEqual([]);
  });

  it('hold if the kernel and the record say so', () => {
    expect(missing(FACTS)).toEqual([]);
  });

  it.each<readonly [Partial<PodFacts['code']>, string]>([
    [{ process: 17 }, 'namespaces'],
    [{ user: 0 }, 'user'],
    [{ groups: [0, 30_001] }, 'user'],
    [{ capabilities: [0, 0x2000] }, 'capabilities'],
    [{ newPrivileges: true }, 'new privileges'],
    [{ filtersSystemCalls: false }, 'system calls'],
    [{ opensInternetSockets: true }, 'system calls'],
    [{ writesRoot: true }, 'root file system'],
    [{ temporaryBytes: { '/tmp': 8e9, '/dev/shm': 2_097_152 } }, 'temporary files'],
    [{ temporaryBytes: { '/tmp': 14_680_064 } }, 'temporary files'],
    [{ processes: 31_337 }, 'processes'],
    [{ hasToken: true }, 'environment'],
  ])('%j is a wall that is missing [kubernetes/confirmed]', (fact, wall) => {
    expect(missing({ ...FACTS, code: { ...FACTS.code, ...fact } })).toEqual([wall]);
  });

  it('an address that answers is a missing network wall [kubernetes/network]', () => {
    expect(missing({ ...FACTS, reached: ['10.96.0.1:443'] })).toEqual(['network']);
  });

  it('what the API server changed in a pod is a missing wall [kubernetes/changed]', () => {
    expect(missing(FACTS, { hostPID: true })).toEqual(['namespaces']);
    const containers = spec.containers.map((one) => ({ ...one, resources: {} }));
    expect(missing(FACTS, { containers })).toEqual(['memory', 'processors']);
  });
});

describe('a pod that something in the cluster has changed', () => {
  const users = { sidecar: 30_000, code: 30_001 };

  /** What is said of a pod, @param change - What the cluster does with it. */
  async function judge(
    change: (pod: MadePod) => void,
    pool?: { readonly shape: string; readonly unclaimedSeconds: number },
  ): Promise<readonly string[]> {
    const template = await templateWith({});
    const guests = await readGuests();
    const limits = DEFAULT_LIMITS;
    const session = { sessionId: 'a', languages: ['python'], limits } as const;
    const options = { name: 'a', template, guests, users };
    const body = sandboxPod(session, { ...options, ...(pool && { pool }) });
    const { metadata } = template;
    const pod = structuredClone({ ...body, metadata: { ...metadata, ...body.metadata } });
    change(pod as unknown as MadePod);
    const made = pod as unknown as Pod;
    const asked = pool === undefined ? body : askedAgain(made, session, options);
    return judgeWalls({ limits, users, pod: made, asked, facts: FACTS })
      .filter(({ holds }) => !holds)
      .map(({ name, missing: clause }) => `${name}: ${clause}`);
  }

  it('is as the host asked for if nothing was, also one of a pool', async () => {
    expect(await judge(() => undefined)).toEqual([]);
    expect(await judge(() => undefined, { shape: 'a', unclaimedSeconds: 4711 })).toEqual([]);
  });

  it('can have another image: clusters that keep copies of images name these', async () => {
    const change = ({ spec: { containers } }: MadePod): void => {
      for (const container of containers) container.image = 'copies.example/sandbox:1';
    };
    expect(await judge(change)).toEqual([]);
  });

  it.each<readonly [string, (pod: MadePod) => void, RegExp]>([
    [
      'a variable more for programs',
      ({ spec: { containers } }) => containers[1].env.push({ name: 'PROXY', value: 'a secret' }),
      /^environment: .*code has the variables .*OPENBLAS_NUM_THREADS, PROXY, not as the host asked/,
    ],
    [
      'another value of a variable',
      ({ spec: { containers } }) => (containers[1].env = [{ name: 'HOME', value: 'a secret' }]),
      /^environment: .*code has the variables HOME, not/,
    ],
    [
      'an address for the sidecar',
      ({ spec: { containers } }) =>
        containers[0].env.push({ name: 'KUBERNETES_SERVICE_HOST', value: 'a secret' }),
      /^network: .*sidecar has the variables NODE_ADDRESS, KUBERNETES_SERVICE_HOST, not only/,
    ],
    [
      'another command',
      ({ spec: { containers } }) => (containers[1].command = ['/bin/sh']),
      /^command: .*code does not run what the host asked for/,
    ],
    [
      'other arguments',
      ({ spec: { containers } }) => containers[0].args.pop(),
      /^command: .*sidecar does not run what the host asked for/,
    ],
    [
      'an annotation',
      ({ metadata }) => (metadata.annotations['k8s.v1.cni.cncf.io/networks'] = 'other'),
      /^network: .*the annotation k8s\.v1\.cni\.cncf\.io\/networks is "other"/,
    ],
  ])('is a missing wall with %s [kubernetes/changed]', async (_, change, said) => {
    for (const pool of [undefined, { shape: 'a', unclaimedSeconds: 4711 }]) {
      const all = await judge(change, pool);
      expect(all).toEqual([expect.stringMatching(said)]);
      expect(all.join()).not.toContain('a secret');
    }
  });
});

describe('what a sidecar says', () => {
  it('is read', () => {
    expect(readFacts(JSON.stringify(FACTS))).toEqual(FACTS);
  });

  it.each([
    '',
    '{',
    'null',
    '{"code":null,"reached":[]}',
    JSON.stringify({ ...FACTS, reached: [1] }),
    JSON.stringify({ ...FACTS, code: { ...FACTS.code, hasToken: 'no' } }),
    JSON.stringify({ ...FACTS, code: { ...FACTS.code, temporaryBytes: { '/tmp': '1' } } }),
  ])('is no description: %s [kubernetes/distrust]', (text) => {
    expect(() => readFacts(text)).toThrow(expect.objectContaining({ code: 'PROTOCOL_VIOLATION' }));
  });
});
