import { beforeAll, describe, expect, it } from 'vitest';
import {
  differenceOf,
  planOf,
  type PoolPlan,
} from '../../../../src/providers/kubernetes/pool/pool-plan.ts';
import { shapeOf } from '../../../../src/providers/kubernetes/pool/pod-shape.ts';
import type { SeenPod } from '../../../../src/providers/kubernetes/pool/seen-pod.ts';
import { type Guest } from '../../../../src/sandbox/guests/guest.ts';
import { readGuests } from '../../../../src/sandbox/guests/guests.ts';
import { DEFAULT_LIMITS, type SandboxSpec } from '../../../../src/sandbox/sandbox.ts';
import { templateWith } from './template.ts';

const SIZE = 'sandboxed-ptc/pool-size';
const LANGUAGES = 'sandboxed-ptc/pool-languages';
const SPEC: SandboxSpec = { sessionId: 'a', languages: ['python'], limits: DEFAULT_LIMITS };

let guests: readonly Guest[];
beforeAll(async () => {
  guests = await readGuests();
});

async function planWith(annotations: Readonly<Record<string, string>>): Promise<unknown> {
  return planOf(await templateWith(annotations), guests);
}

describe('the pool of a template', () => {
  it('is none without a size, or with the size 0', async () => {
    expect(await planWith({})).toBeUndefined();
    expect(await planWith({ [SIZE]: '0', [LANGUAGES]: 'bash' })).toBeUndefined();
  });

  it('has the limits of the template, and Python', async () => {
    expect(await planWith({ [SIZE]: '10' })).toMatchObject({
      size: 10,
      spec: { languages: ['python'], limits: DEFAULT_LIMITS },
    });
  });

  it.each([
    [SIZE, 'ten'],
    [SIZE, '-1'],
    [SIZE, '10001'],
    [LANGUAGES, ''],
    [LANGUAGES, 'python,ruby'],
    [LANGUAGES, 'python,python'],
    [LANGUAGES, 'x'.repeat(10_000)],
  ])('is refused with %s: %j', async (annotation, text) => {
    await expect(planWith({ [SIZE]: '1', [annotation]: text })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(new RegExp(`^.{0,120}${annotation}: ".{0,100}", which must`)),
      details: { template: 'sandboxed-ptc', annotation },
    });
  });
});

describe('the shape of a pod', () => {
  const shape = async (spec = SPEC, image = 'sandbox:1'): Promise<string> =>
    shapeOf(spec, await templateWith({}, { image }), guests);

  it('is that of the pool for an executor without options, whatever the session is', async () => {
    const plan = (await planWith({ [SIZE]: '1' })) as PoolPlan;
    expect(await shape()).toBe(plan.shape);
    expect(await shape({ ...SPEC, sessionId: 'b' })).toBe(plan.shape);
  });

  it('differs with the image, the languages, their order and each limit', async () => {
    const limits = Object.entries(DEFAULT_LIMITS).map(([name, value]) =>
      shape({ ...SPEC, limits: { ...DEFAULT_LIMITS, [name]: value / 2 } }),
    );
    const shapes = await Promise.all([
      shape(),
      shape(SPEC, 'sandbox:2'),
      shape({ ...SPEC, languages: ['python', 'bash'] }),
      shape({ ...SPEC, languages: ['bash', 'python'] }),
      ...limits,
    ]);
    expect(new Set(shapes).size).toBe(shapes.length);
  });
});

describe('what a pool lacks', () => {
  const pod = (name: string, shape: string): SeenPod => ({
    name,
    shape,
    uid: name,
    version: '1',
    session: '',
    created: '2026-01-01T00:00:00Z',
  });
  const plan = async (size: number): Promise<PoolPlan> => {
    const found = planOf(await templateWith({ [SIZE]: String(size) }), guests);
    return { ...(found as PoolPlan), shape: 'right' };
  };

  it('is what is neither there nor coming', async () => {
    const pods = [pod('a', 'right'), pod('b', 'right')];
    expect(differenceOf(await plan(5), pods, 2)).toEqual({ missing: 1, surplus: [] });
    expect(differenceOf(await plan(5), pods, 3)).toEqual({ missing: 0, surplus: [] });
  });

  it('does not count pods of another shape, which are too many', async () => {
    const [right, wrong] = [pod('a', 'right'), pod('b', 'wrong')];
    expect(differenceOf(await plan(2), [right, wrong], 0)).toEqual({
      missing: 1,
      surplus: [wrong],
    });
  });

  it('is nothing if there are too many, of which the youngest are to end', async () => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name, 'right'));
    expect(differenceOf(await plan(1), pods, 0)).toEqual({ missing: 0, surplus: pods.slice(1) });
    expect(differenceOf(undefined, pods, 0)).toEqual({ missing: 0, surplus: pods });
  });
});
