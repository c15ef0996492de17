import type { CodeFacts } from '../../../../src/providers/kubernetes/walls/facts.ts';

/** What the kernel says in a pod with the default limits in which all walls hold. @param user - Of its programs. */
export function confirmedFacts(user: number): CodeFacts {
  return {
    process: 1,
    user,
    groups: [user],
    capabilities: [0],
    newPrivileges: false,
    filtersSystemCalls: true,
    opensInternetSockets: false,
    writesRoot: false,
    temporaryBytes: { '/tmp': 14_680_064, '/dev/shm': 2_097_152 },
    processes: 64,
    hasToken: false,
  };
}
