import { isRecord } from '../../../shared/guards.ts';
import type { HostObserver, HostState } from './host-observer.ts';
import { HOST_LEASE_LABEL, hostLeaseName } from './key-lease.ts';
import { type Leases, versionOf } from './leases.ts';

/** What is known of the hosts of a namespace, by their ids. A host that is not there is dead. */
export type HostStates = ReadonlyMap<string, HostState>;

/**
 * Looks at all hosts of a namespace, and removes the Leases of those that are dead. The cluster then
 * removes their keys.
 * @param own - The id of this host.
 * @throws what `Leases` throws.
 */
export async function lookAtHosts(
  leases: Leases,
  observer: HostObserver,
  own: string,
  signal: AbortSignal,
): Promise<HostStates> {
  const { items } = await leases.list(HOST_LEASE_LABEL, signal);
  const states = new Map<string, HostState>([[own, 'alive']]);
  for (const item of items) {
    const host = hostIn(item);
    if (host === undefined || host === own) continue;
    const version = versionOf(item);
    const state = observer.judge(host, version);
    if (state === 'dead') await leases.remove(hostLeaseName(host), version);
    else states.set(host, state);
  }
  return states;
}

function hostIn(lease: unknown): string | undefined {
  const metadata = isRecord(lease) ? lease['metadata'] : undefined;
  const labels = isRecord(metadata) ? metadata['labels'] : undefined;
  const host = isRecord(labels) ? labels[HOST_LEASE_LABEL] : undefined;
  return typeof host === 'string' ? host : undefined;
}
