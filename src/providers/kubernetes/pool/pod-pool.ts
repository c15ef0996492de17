import { randomBytes } from 'node:crypto';
import type { Guest } from '../../../sandbox/guests/guest.ts';
import type { SandboxSpec } from '../../../sandbox/sandbox.ts';
import { inBackground } from '../../../shared/async/background.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { HOST_TIMES, type LeaseTimes } from '../keys/host-lease.ts';
import type { Metadata, Pod, PodTemplate } from '../pod/pod-types.ts';
import { PodClaims } from './pod-claims.ts';
import { shapeOf } from './pod-shape.ts';
import { PoolKeeper } from './pool-keeper.ts';
import { PoolLease, type Share } from './pool-lease.ts';
import { planOf } from './pool-plan.ts';

export interface ClaimOptions {
  readonly template: PodTemplate;
  readonly guests: readonly Guest[];
  /** This host, as `encodeOwner` writes it. */
  readonly owner: string;
}

/** What a host does for the pool of one template. */
interface Membership {
  readonly uid: string;
  readonly shape: string;
  readonly claims: PodClaims;
  readonly lease: PoolLease;
}

/**
 * The pool of a namespace, which its hosts share: pods that run and have no session yet. The host
 * that has the Lease of the pool keeps it, and all claim from it.
 */
export class PodPool {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #times: LeaseTimes;
  /** Undefined as long as no template with a pool was used. */
  #membership: Membership | undefined;

  constructor(cluster: Cluster, namespace: string, times: LeaseTimes = HOST_TIMES) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#times = times;
  }

  /**
   * Claims a pod for a session, and returns it as it then is. Undefined if none is ready, or the
   * pool has pods of another kind.
   * @throws PtcError, ApiError, or the signal's reason.
   */
  async claim(
    spec: SandboxSpec,
    { template, guests, owner }: ClaimOptions,
    signal?: AbortSignal,
  ): Promise<Pod | undefined> {
    const plan = planOf(template, guests);
    if (plan === undefined) return undefined;
    const { claims } = this.#join(template, plan.shape, guests);
    if (shapeOf(spec, template, guests) !== plan.shape) return undefined;
    return claims.claim({ sessionId: spec.sessionId, owner }, signal);
  }

  /** Leaves the pool to the other hosts. */
  async close(): Promise<void> {
    const membership = this.#membership;
    this.#membership = undefined;
    membership?.claims.close();
    await membership?.lease.close();
  }

  #join(template: PodTemplate, shape: string, guests: readonly Guest[]): Membership {
    const { name, uid } = template.metadata;
    const old = this.#membership;
    if (old?.uid === uid && old.shape === shape) return old;
    old?.claims.close();
    const lease = old?.uid === uid ? old.lease : this.#lease({ name, uid }, guests);
    if (lease !== old?.lease) inBackground(old?.lease.close());
    const pods = `/api/v1/namespaces/${this.#namespace}/pods`;
    const share = (): Share => lease.share;
    const claims = new PodClaims({ cluster: this.#cluster, pods, pool: uid, shape, share });
    return (this.#membership = { uid, shape, claims, lease });
  }

  /** Keeps the pool as long as this host has the Lease. */
  #lease(template: Pick<Metadata, 'name' | 'uid'>, guests: readonly Guest[]): PoolLease {
    const place = { cluster: this.#cluster, namespace: this.#namespace, template };
    let keeper: PoolKeeper | undefined;
    const onGone = (): void => inBackground(lease.close());
    const lease = new PoolLease({
      ...place,
      host: randomBytes(8).toString('hex'),
      times: this.#times,
      onHeld: () => (keeper = new PoolKeeper({ ...place, guests, onGone })),
      onLost: () => keeper?.stop(),
    });
    return lease;
  }
}
