import { expect, it } from 'vitest';
import { comparePolicy } from '../../../../src/providers/kubernetes/walls/compare-policy.ts';
import { type Protection, protection } from '../../../../src/sandbox/protection.ts';

const user = protection('user', '20001', '20001', true, 'programs are root');

function network(reached: string): Protection {
  return protection('network', 'nothing reached', reached, reached === 'nothing reached', 'open');
}

const closed = [user, network('nothing reached')];

it('a policy is enforced if a pod that it does not select reaches what the sandbox does not', async () => {
  const { protections, notes } = await comparePolicy(closed, async () => ['10.96.0.1:443']);
  const applied = 'nothing reached; enforced: a pod that no policy selects reached 10.96.0.1:443';
  expect(protections).toEqual([user, { ...closed[1], applied }]);
  expect(notes).toEqual([]);
});

it('it is inconclusive if neither reaches anything', async () => {
  expect(await comparePolicy(closed, async () => [])).toEqual({
    protections: closed,
    notes: [
      'The sandbox reached nothing, but whether the cluster enforces the NetworkPolicy is inconclusive: a pod that the NetworkPolicy does not select reached nothing either.',
    ],
  });
});

it('it is inconclusive if the other pod does not start', async () => {
  const { protections, notes } = await comparePolicy(closed, async () => {
    throw new Error('exceeded quota.');
  });
  expect(protections).toEqual(closed);
  expect(notes).toEqual([
    expect.stringMatching(/inconclusive: .* could not try it: exceeded quota\.$/),
  ]);
});

it('it is not enforced if the sandbox itself reaches something, and nothing else is tried', async () => {
  const open = [user, network('reached 10.96.0.1:443')];
  const report = await comparePolicy(open, async () => {
    throw new Error('tried');
  });
  expect(report).toEqual({ protections: open, notes: [] });
});
