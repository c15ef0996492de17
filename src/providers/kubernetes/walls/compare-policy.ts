import type { Protection, SecurityReport } from '../../../sandbox/protection.ts';
import { messageOf } from '../../../shared/errors.ts';

/**
 * Says whether it is the NetworkPolicy that keeps a sandbox from the network. A sandbox also reaches
 * nothing if the network of its pod leads nowhere.
 * @param protections - Of a sandbox.
 * @param tryWithoutPolicy - Returns the addresses that a pod reaches which no policy of ours selects.
 */
export async function comparePolicy(
  protections: readonly Protection[],
  tryWithoutPolicy: () => Promise<readonly string[]>,
): Promise<SecurityReport> {
  const network = protections.find(({ name }) => name === 'network');
  // It is not enforced, and the protection says so.
  if (network === undefined || !network.holds) return { protections, notes: [] };
  try {
    const reached = await tryWithoutPolicy();
    if (reached.length === 0) {
      const why = 'a pod that the NetworkPolicy does not select reached nothing either';
      return { protections, notes: [inconclusive(why)] };
    }
    const applied = `${network.applied}; enforced: a pod that no policy selects reached ${reached.join(', ')}`;
    const compared = { ...network, applied };
    return { protections: protections.map((one) => (one === network ? compared : one)), notes: [] };
  } catch (error) {
    const why = `a pod that the NetworkPolicy does not select could not try it: ${messageOf(error)}`;
    return { protections, notes: [inconclusive(why)] };
  }
}

function inconclusive(why: string): string {
  return `The sandbox reached nothing, but whether the cluster enforces the NetworkPolicy is inconclusive: ${why.replace(/\.$/, '')}.`;
}
