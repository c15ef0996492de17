import { beforeAll, describe, expect, it } from 'vitest';
import { templateSpec } from '../../../../src/providers/kubernetes/pod/pod-template.ts';
import type { PodSpec } from '../../../../src/providers/kubernetes/pod/pod-types.ts';
import { readRunnerFiles } from '../../../../src/providers/kubernetes/pod/runner-files.ts';
import { type PodFacts, readFacts } from '../../../../src/providers/kubernetes/walls/facts.ts';
import { judgeWalls } from '../../../../src/providers/kubernetes/walls/judge-walls.ts';
import { DEFAULT_LIMITS } from '../../../../src/sandbox/sandbox.ts';

const FACTS: PodFacts = {
  code: {
    process: 1,
    user: 30_001,
    groups: [30_001],
    capabilities: [0],
    newPrivileges: false,
    filtersSystemCalls: true,
    opensInternetSockets: false,
    writesRoot: false,
    temporaryBytes: { '/tmp': 14_680_064, '/dev/shm': 2_097_152 },
    processes: 64,
    hasToken: false,
  },
  reached: [],
};

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
