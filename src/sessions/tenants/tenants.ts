import { PtcError } from '../../shared/errors.ts';
import type { Group } from '../../shared/async/fair-queue.ts';
import type { Labels } from '../../shared/labels.ts';

/** What each tenant may have and do. */
export interface TenantQuotas {
  /**
   * How many sandboxes it may have at a time, including those of its idle sessions. If it needs
   * more, what `whenFull` says happens, with its own sessions only. @default any number
   */
  readonly sandboxes?: number;
  /** How many of its programs run at a time. Further ones wait. @default any number */
  readonly concurrentPrograms?: number;
  /**
   * How many programs it may begin within any 60 seconds. Further ones are refused with
   * `QUOTA_EXCEEDED`. @default any number
   */
  readonly programsPerMinute?: number;
  /**
   * How many of its requests for a session or a program wait at a time: for the key, a sandbox or
   * its start, or until the program begins. Further ones are refused with `QUOTA_EXCEEDED`. They
   * are limited by default, because what a waiting request holds, such as memory and the
   * connection to the process that has its key, is taken from all tenants. @default 1000
   */
  readonly waitingRequests?: number;
}

export const DEFAULT_WAITING_REQUESTS = 1000;

/**
 * The tenant of a session or program: the value of the label. All without the label are one tenant,
 * as are all if no label is named.
 */
export function tenantOf(labels: Labels, fairBy: string | undefined): Group {
  return fairBy !== undefined && Object.hasOwn(labels, fairBy) ? labels[fairBy] : undefined;
}

export interface ExceededQuota {
  /** The name of the label. */
  readonly label: string;
  readonly tenant: Group;
  readonly quota: keyof TenantQuotas;
  readonly limit: number;
  /** What was exceeded, as a sentence after the name of the tenant. */
  readonly what: string;
  /** What to do: a sentence. */
  readonly advice: string;
  readonly retryAfterMs?: number;
}

/** The error for a tenant that reached a quota. */
export function quotaError(exceeded: ExceededQuota): PtcError {
  const { label, tenant, quota, limit, what, advice, retryAfterMs } = exceeded;
  const who =
    tenant === undefined
      ? `The tenant without the label ${label}`
      : `The tenant ${JSON.stringify(tenant)} (label ${label})`;
  const details = { label, tenant, quota, limit };
  return new PtcError('QUOTA_EXCEEDED', `${who} ${what}. ${advice}`, {
    details: retryAfterMs === undefined ? details : { ...details, retryAfterMs },
  });
}
