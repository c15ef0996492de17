import { expect, test } from 'vitest';
import { describeStartFailure } from '../../../src/providers/bubblewrap/check/start-failure.ts';

const FREE = { userNamespacesOff: false, restrictedByAppArmor: false };

test.each([
  [
    'namespaces that are disabled',
    'unshare: unshare failed: No space left on device',
    { ...FREE, userNamespacesOff: true },
    /user namespaces are disabled/,
    /sysctl -w kernel\.unprivileged_userns_clone=1/,
  ],
  [
    'the restriction of Ubuntu',
    'unshare: write failed /proc/self/uid_map: Operation not permitted',
    { ...FREE, restrictedByAppArmor: true },
    /AppArmor/,
    /apparmor_restrict_unprivileged_userns=0/,
  ],
  [
    'a container that masks /proc',
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    FREE,
    /cannot mount its own \/proc/,
    /systempaths=unconfined/,
  ],
  [
    'a container that refuses namespaces',
    'unshare: unshare failed: Operation not permitted',
    FREE,
    /refuses to create namespaces/,
    /outside of a container/,
  ],
  [
    'a hard limit that is too low',
    'prlimit: failed to set the NOFILE resource limit: Operation not permitted',
    { userNamespacesOff: true, restrictedByAppArmor: true },
    /may not set the limit NOFILE that sandboxes get/,
    /LimitNOFILE=/,
  ],
  ['anything else', 'bwrap: something new', FREE, /something new/, /Docker/],
])('%s is named, with its own remedy', (_, printed, switches, reason, remedy) => {
  const refusal = describeStartFailure(printed, switches);
  expect(refusal.reason).toMatch(reason);
  expect(refusal.reason).toContain(printed);
  expect(refusal.remedy).toMatch(remedy);
});
