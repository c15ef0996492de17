import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { PodTemplate } from '../pod/pod-types.ts';
import { shapeOf } from './pod-shape.ts';
import { type PoolSettings, readPool } from './pool-settings.ts';
import type { SeenPod } from './seen-pod.ts';

/** Which pods are to be there. */
export interface PoolPlan extends PoolSettings {
  readonly template: PodTemplate;
  readonly guests: readonly Guest[];
  readonly shape: string;
}

/**
 * What a template asks for. Undefined if it asks for no pool.
 * @throws PtcError `SANDBOX_UNAVAILABLE` if an annotation is not understood.
 */
export function planOf(template: PodTemplate, guests: readonly Guest[]): PoolPlan | undefined {
  const settings = readPool(template);
  if (settings === undefined) return undefined;
  return { ...settings, template, guests, shape: shapeOf(settings.spec, template, guests) };
}

/** What is missing from a pool, and what is too much. */
export interface PoolDifference {
  readonly missing: number;
  readonly surplus: readonly SeenPod[];
}

/**
 * @param pods - Those that no session has, oldest first.
 * @param coming - How many are being made.
 */
export function differenceOf(
  plan: PoolPlan | undefined,
  pods: readonly SeenPod[],
  coming: number,
): PoolDifference {
  const { size = 0, shape } = plan ?? {};
  const fitting = pods.filter((pod) => pod.shape === shape);
  const others = pods.filter((pod) => pod.shape !== shape);
  const missing = size - fitting.length - coming;
  // The youngest are those that have done least.
  const tooMany = missing < 0 ? fitting.slice(missing) : [];
  return { missing: Math.max(0, missing), surplus: [...others, ...tooMany] };
}
