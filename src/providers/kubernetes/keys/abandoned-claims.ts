import { setTimeout as delay } from 'node:timers/promises';
import { inBackground } from '../../../shared/async/background.ts';
import { type Claim, type KeyLease, readKeyLease, withdrawPatch } from './key-lease.ts';
import type { Leases } from './leases.ts';

/** What a claim may have left in the cluster. */
export interface Traces {
  /** Requests that are under way and may take the key that the claim waits for. */
  readonly looks: Set<Promise<void>>;
  /** Whether it is among those that wait for the key. */
  isAsked: boolean;
}

export interface AbandonedClaimsOptions {
  readonly leases: Leases;
  readonly retryMs: number;
  /** Ends all attempts: the cluster removes what belongs to the Lease of a host that is gone. */
  readonly closing: AbortSignal;
  /** Leaves a key that such a claim has. */
  readonly leave: (lease: KeyLease) => Promise<void>;
}

/**
 * Claims whose caller gave them up, or never learned what the API server did. It may have given them
 * the key, which nothing else would ever leave. No error ends the attempts: an API server that starts,
 * or that has lost its storage, refuses for a while what it does later.
 */
export class AbandonedClaims {
  readonly #options: AbandonedClaimsOptions;

  constructor(options: AbandonedClaimsOptions) {
    this.#options = options;
  }

  /** Leaves what a claim has as soon as that works. */
  add(name: string, claim: Claim, looks: Traces['looks'] = new Set()): void {
    inBackground(this.#leave(name, claim, looks));
  }

  async #leave(name: string, claim: Claim, looks: Traces['looks']): Promise<void> {
    const { leases, retryMs, closing: signal, leave } = this.#options;
    await Promise.allSettled(looks);
    while (!signal.aborted) {
      try {
        const lease = await withdraw(leases, name, claim);
        if (typeof lease === 'object') await leave(lease);
        return;
      } catch {
        // It rejects when the signal fires.
        await delay(retryMs, undefined, { ref: false, signal }).catch(() => {});
      }
    }
  }
}

/**
 * Takes the request of a claim back.
 * @returns the Lease if the claim has the key meanwhile, undefined if another still has it.
 */
export async function withdraw(
  leases: Leases,
  name: string,
  claim: Claim,
): Promise<KeyLease | 'gone' | undefined> {
  if ((await leases.patch(name, withdrawPatch(claim))) !== undefined) return undefined;
  const lease = readKeyLease(await leases.get(name));
  if (lease === undefined) return 'gone';
  return lease.holder === claim.id ? lease : undefined;
}
