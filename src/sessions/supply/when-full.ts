import type { Group } from '../../shared/async/fair-queue.ts';
import { PtcError } from '../../shared/errors.ts';
import { quotaError } from '../tenants/tenants.ts';

/** What happens if a sandbox is needed and `maxSandboxes` sandboxes exist. */
export interface WhenFull {
  /**
   * `wait`: waits until a sandbox is free, first come, first served, or with `fairBy`, each tenant
   * in turn. `reject`: fails at once. `evict`: closes the session that was used least recently among
   * those that nobody uses, with `fairBy` one of the tenant that has most sessions, which is the one
   * that needs room or has more than it; if there is none, waits.
   */
  readonly action: 'wait' | 'reject' | 'evict';
  /** How long to wait before failing with `SANDBOX_LIMIT` or `QUOTA_EXCEEDED`. @default 30000 */
  readonly timeoutMs?: number;
}

/** How many sandboxes each tenant may have. */
export interface SandboxQuota {
  /** The label whose values are the tenants. */
  readonly label: string;
  readonly sandboxes: number;
}

export const DEFAULT_WHEN_FULL: WhenFull = { action: 'wait' };

/** How long to wait for room. */
export function patienceMs({ timeoutMs = 30_000 }: WhenFull): number {
  return timeoutMs;
}

/** Whether a provider has no room for another sandbox. */
export function isNoRoom(error: unknown): error is PtcError {
  return PtcError.isInstance(error) && error.code === 'SANDBOX_LIMIT';
}

/** The error for a tenant that has used up its quota. */
export function quotaRefusal(
  { label, sandboxes: limit }: SandboxQuota,
  tenant: Group,
  whenFull: WhenFull,
): PtcError {
  return quotaError({
    label,
    tenant,
    quota: 'sandboxes',
    limit,
    what: `uses all sandboxes of its quota, ${limit} (quotas.sandboxes)${waited(whenFull)}`,
    advice: 'Release or close its sessions, or raise the quota.',
  });
}

/** The error if there are as many sandboxes as there may be. */
export function limitRefusal(maxSandboxes: number, whenFull: WhenFull): PtcError {
  return new PtcError(
    'SANDBOX_LIMIT',
    `All ${maxSandboxes} sandboxes are in use${waited(whenFull)}. Release or close sessions, or raise maxSandboxes.`,
    { details: { maxSandboxes, action: whenFull.action } },
  );
}

/** The error of a pool that may have no sandbox. It does not wait. */
export function poolRefusal(): PtcError {
  const message =
    'There is no room for the sandboxes of the pool. Close sessions, or raise maxSandboxes.';
  return new PtcError('SANDBOX_LIMIT', message);
}

function waited(whenFull: WhenFull): string {
  if (whenFull.action === 'reject') return '';
  return `, and none became free within ${patienceMs(whenFull)} ms`;
}
